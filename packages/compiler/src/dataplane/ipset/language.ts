import type { IpFamily } from '@kube-rules/types'
import { diffContributed } from '../../diff/claims.js'
import type { Resource, Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import { readLines } from '../netfilter/dump-lines.js'
import type { IpSet, IpsetState } from './ast.js'
import { canonical } from './canonical.js'
import { checkIpset } from './check.js'
import { entryClaims } from './claims.js'
import { compareIpset } from './compare.js'
import { setMembership } from './evaluate.js'
import { IPSET_PROBLEM_CODES, type IpsetProblemCode, parseIpset } from './parse.js'
import { printRestore, printSave } from './print.js'
import { assembleIpset, isIpsetId, resourcesOf, setResource } from './resources.js'
import { scriptIpset } from './script.js'

/** Sets of addresses and ports that rules match. */
export const ipsetLanguage: Language<IpsetState, Resource, IpsetProblemCode> = {
  spellings: ['restore', 'save'],
  print: (state, { spelling }) => (spelling === 'save' ? printSave(state) : printRestore(state)),
  printedBy: 'ipset save',
  begins: (line) => (/^\s*(?:create|add)(?:\s|$)/.test(line) ? 'line' : undefined),
  read: (lines) => readLines(lines, parseIpset, ofFamily),
  problemCodes: IPSET_PROBLEM_CODES,
  canonical,
  check: checkIpset,
  owns: isIpsetId,
  resources: resourcesOf,
  assemble: assembleIpset,
  diff: (before, after) => diffContributed(before, after, { claims: entryClaims, fixed: setsOf, all: resourcesOf }),
  appliesByLine: true,
  script: scriptIpset,
  stations: () => [],
  knows: (state) => ({ inSet: setMembership(state) }),
  madeOf: 'sets',
  compare: compareIpset,
}

/** Those of the family, and those that tell none: rules of either may match them. */
function ofFamily({ sets }: IpsetState, family: IpFamily): IpsetState {
  const other = family === 'IPv4' ? 'inet6' : 'inet'
  return { sets: sets.filter((set: IpSet) => !('family' in set) || set.family !== other) }
}

function setsOf({ sets, definitions = sets }: IpsetState): Resources {
  return new Map(definitions.map(setResource).map((resource) => [resource.id, resource]))
}
