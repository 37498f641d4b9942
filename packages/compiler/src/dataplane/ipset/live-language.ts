import type { IpFamily } from '@kube-rules/types'
import type { Resource } from '../../diff/resource.js'
import type { LiveLanguage } from '../live-language.js'
import { readLines } from '../netfilter/dump-lines.js'
import { linesWithOrigins } from '../netfilter/lines-with-origins.js'
import type { IpSet, IpsetState } from './ast.js'
import { canonical } from './canonical.js'
import { compareIpset } from './compare.js'
import { placesOfEntries, setMembership } from './evaluate.js'
import { ipsetLanguage } from './language.js'
import { originsOfLines } from './origins-of-lines.js'
import { IPSET_PROBLEM_CODES, type IpsetProblemCode, parseIpset } from './parse.js'
import { partsOfEntries } from './parts.js'
import { pastedIpset } from './pasted/reader.js'
import { scriptIpset } from './script.js'

/** How they are dealt with on a node. */
export const liveIpsetLanguage: LiveLanguage<IpsetState, Resource, IpsetProblemCode> = {
  printedBy: 'ipset save',
  begins: (line) => (/^\s*(?:create|add)(?:\s|$)/.test(line) ? 'alike' : undefined),
  read: (lines) => readLines(lines, parseIpset, ofFamily),
  pasted: pastedIpset,
  problemCodes: IPSET_PROBLEM_CODES,
  canonical,
  appliesByLine: true,
  script: scriptIpset,
  stations: () => [],
  places: placesOfEntries,
  partsOf: partsOfEntries,
  knows: (state) => ({ inSet: setMembership(state) }),
  linesOf: (state, options, make) =>
    linesWithOrigins(ipsetLanguage.print(state, options), (lines) => originsOfLines(lines, state), make),
  madeOf: 'sets',
  compare: compareIpset,
}

/** Those of the family, and those that tell none: rules of either may match them. */
function ofFamily({ sets }: IpsetState, family: IpFamily): IpsetState {
  const other = family === 'IPv4' ? 'inet6' : 'inet'
  return { sets: sets.filter((set: IpSet) => !('family' in set) || set.family !== other) }
}
