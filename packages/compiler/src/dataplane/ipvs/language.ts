import { familyOf, type IpFamily } from '@kube-rules/types'
import { diffContributed } from '../../diff/claims.js'
import type { Resource, Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import { readLines } from '../netfilter/dump-lines.js'
import type { IpvsState } from './ast.js'
import { canonical } from './canonical.js'
import { checkIpvs } from './check.js'
import { serverClaims, serverOwners } from './claims.js'
import { compareIpvs } from './compare.js'
import { ipvsStations } from './evaluate.js'
import { IPVS_PROBLEM_CODES, type IpvsProblemCode, parseIpvs } from './parse.js'
import { printListing, printRestore, printSave } from './print.js'
import { assembleIpvs, isIpvsId, resourcesOf } from './resources.js'
import { scriptIpvs } from './script.js'

/** Virtual servers, which spread connections over real servers. */
export const ipvsLanguage: Language<IpvsState, Resource, IpvsProblemCode> = {
  spellings: ['restore', 'save', 'listing'],
  print: (state, { spelling }) => PRINTERS[spelling](state),
  printedBy: 'ipvsadm -Sn',
  begins: (line) => (SERVER_LINE.test(line) ? 'line' : undefined),
  read: (lines) => readLines(lines, parseIpvs, ofFamily),
  problemCodes: IPVS_PROBLEM_CODES,
  canonical,
  check: checkIpvs,
  owns: isIpvsId,
  resources: resourcesOf,
  assemble: assembleIpvs,
  diff: (before, after) =>
    diffContributed(before, after, { claims: serverClaims, fixed: () => NOTHING, all: resourcesOf }),
  appliesByLine: true,
  script: scriptIpvs,
  stations: (state, knowledge) => ipvsStations(state, knowledge, serverOwners(state)),
  knows: () => ({}),
  madeOf: 'virtual servers',
  compare: compareIpvs,
}

const PRINTERS = { restore: printRestore, save: printSave, listing: printListing } as const

/** `-A -t …`, not `-A CHAIN`. */
const SERVER_LINE = /^\s*(?:-[Aa]\s+-|-[Aa][^\sAa]|--add-se)/

const NOTHING: Resources = new Map()

function ofFamily({ virtualServers, ...rest }: IpvsState, family: IpFamily): IpvsState {
  return { ...rest, virtualServers: virtualServers.filter(({ address }) => familyOf(address) === family) }
}
