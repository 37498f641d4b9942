import { diffContributed } from '../../diff/claims.js'
import type { Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import type { IpsetState } from './ast.js'
import { checkIpset } from './check.js'
import { entryClaims } from './claims.js'
import { printRestore, printSave } from './print.js'
import { assembleIpset, isIpsetId, resourcesOf, setResource } from './resources.js'

/** Sets of addresses and ports that rules match. */
export const ipsetLanguage: Language<IpsetState> = {
  spellings: ['restore', 'save'],
  print: (state, { spelling }) => (spelling === 'save' ? printSave(state) : printRestore(state)),
  check: checkIpset,
  owns: isIpsetId,
  resources: resourcesOf,
  assemble: assembleIpset,
  diff: (before, after) => diffContributed(before, after, { claims: entryClaims, fixed: setsOf, all: resourcesOf }),
}

/** The definitions, where they are known, without `sets`: a lazy state would put these together. */
function setsOf(state: IpsetState): Resources {
  const definitions = state.definitions ?? state.sets
  return new Map(definitions.map(setResource).map((resource) => [resource.id, resource]))
}
