import { familyOf, type IpFamily } from '@kube-rules/types'
import type { Resource } from '../../diff/resource.js'
import { findingOf } from '../../internal/findings.js'
import { lazily } from '../../internal/lazily.js'
import type { LiveLanguage } from '../live-language.js'
import { readLines } from '../netfilter/dump-lines.js'
import { linesWithOrigins } from '../netfilter/lines-with-origins.js'
import type { IpvsState } from './ast.js'
import { canonical } from './canonical.js'
import { serverOwners } from './claims.js'
import { compareIpvs } from './compare.js'
import { ipvsStations } from './evaluate.js'
import { ipvsLanguage } from './language.js'
import { lineOfRule } from './line-of-rule.js'
import { originsOfLines } from './origins-of-lines.js'
import { IPVS_PROBLEM_CODES, type IpvsProblemCode, parseIpvs } from './parse.js'
import { partsOfServers } from './parts.js'
import { pastedIpvs } from './pasted/reader.js'
import { placeOfLine } from './place-of-line.js'
import { scriptIpvs } from './script.js'

/** How they are dealt with on a node. */
export const liveIpvsLanguage: LiveLanguage<IpvsState, Resource, IpvsProblemCode> = {
  printedBy: 'ipvsadm -Sn',
  begins: (line) => (SERVER_LINE.test(line) ? 'alike' : undefined),
  read: (lines) => readLines(lines, parseIpvs, ofFamily),
  pasted: pastedIpvs,
  problemCodes: IPVS_PROBLEM_CODES,
  canonical,
  appliesByLine: true,
  script: scriptIpvs,
  effectOf: (line) => ({
    refuses: false,
    sendsTo: /^-a .* -r (\S+) /.exec(line)?.slice(1) ?? [],
    takesNoMore: / -w 0\b/.test(line),
    rule: line,
  }),
  lineOfRule,
  stations: (state, knowledge) =>
    ipvsStations(
      state,
      knowledge,
      lazily(() => findingOf(state, serverOwners)),
    ),
  placeOf: ({ by, text }) => (by === 'ipvs' ? placeOfLine(text) : undefined),
  places: ({ virtualServers }) => virtualServers.map(({ address, port }) => ({ address, port: String(port) })),
  partsOf: partsOfServers,
  needsAddresses: true,
  knows: () => ({}),
  linesOf: (state, options, make) =>
    linesWithOrigins(ipvsLanguage.print(state, options), (lines) => originsOfLines(lines, state), make),
  madeOf: 'virtual servers',
  compare: compareIpvs,
}

/** `-A -t …`, not `-A CHAIN`. */
const SERVER_LINE = /^\s*(?:-[Aa]\s+-|-[Aa][^\sAa]|--add-se)/

function ofFamily({ virtualServers, ...rest }: IpvsState, family: IpFamily): IpvsState {
  return { ...rest, virtualServers: virtualServers.filter(({ address }) => familyOf(address) === family) }
}
