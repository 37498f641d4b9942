import { diffContributed } from '../../diff/claims.js'
import type { Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import type { IpvsState } from './ast.js'
import { checkIpvs } from './check.js'
import { serverClaims } from './claims.js'
import { printListing, printRestore, printSave } from './print.js'
import { assembleIpvs, isIpvsId, resourcesOf } from './resources.js'

/** Virtual servers, which spread connections over real servers. */
export const ipvsLanguage: Language<IpvsState> = {
  spellings: ['restore', 'save', 'listing'],
  print: (state, { spelling }) => PRINTERS[spelling](state),
  check: checkIpvs,
  owns: isIpvsId,
  resources: resourcesOf,
  assemble: assembleIpvs,
  diff: (before, after) =>
    diffContributed(before, after, { claims: serverClaims, fixed: () => NOTHING, all: resourcesOf }),
}

const PRINTERS = { restore: printRestore, save: printSave, listing: printListing } as const

const NOTHING: Resources = new Map()
