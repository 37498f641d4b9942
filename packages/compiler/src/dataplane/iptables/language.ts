import type { Language } from '../language.js'
import type { IptablesState } from './ast.js'
import { canonicalState } from './canonical-state.js'
import { checkState } from './check.js'
import { compareIptables } from './compare/compare-iptables.js'
import type { IptablesItem } from './compare/table-pair.js'
import { diffIptables } from './diff/diff-state.js'
import { iptablesStations } from './evaluate/evaluate.js'
import { IPTABLES_PROBLEM_CODES, type IptablesProblemCode } from './parse/problem.js'
import { headingOf, isCommit, readTables } from './parse/read.js'
import { printRestore } from './print/print.js'
import { printSave } from './print/print-save.js'
import { assembleIptables, chainId, isChainId, resourcesOf } from './resources.js'
import { scriptIptables } from './script/script.js'

/** Tables of chains of rules. */
export const iptablesLanguage: Language<IptablesState, IptablesItem, IptablesProblemCode> = {
  spellings: ['restore', 'save'],
  print: (state, { spelling, backend }) => (spelling === 'save' ? printSave(state, { backend }) : printRestore(state)),
  printedBy: 'iptables-save',
  begins: (line) => (/^\s*\*/.test(line) ? isCommit : undefined),
  headingOf,
  read: readTables,
  problemCodes: IPTABLES_PROBLEM_CODES,
  canonical: canonicalState,
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
  appliesByLine: false,
  script: scriptIptables,
  stations: iptablesStations,
  knows: () => ({}),
  madeOf: 'tables',
  compare: compareIptables,
}
