import type { Language } from '../language.js'
import type { IptablesState } from './ast.js'
import { checkState } from './check.js'
import { diffIptables } from './diff/diff-state.js'
import { printRestore } from './print/print.js'
import { printSave } from './print/print-save.js'
import { assembleIptables, chainId, isChainId, resourcesOf } from './resources.js'

/** Tables of chains of rules. */
export const iptablesLanguage: Language<IptablesState> = {
  spellings: ['restore', 'save'],
  print: (state, { spelling, backend }) => (spelling === 'save' ? printSave(state, { backend }) : printRestore(state)),
  check: (state) =>
    checkState(state).map(({ table, chain, message }) => ({
      severity: 'error',
      code: 'structure',
      object: { kind: 'chain', name: chainId(table, chain) },
      message,
    })),
  owns: isChainId,
  resources: resourcesOf,
  assemble: assembleIptables,
  diff: diffIptables,
}
