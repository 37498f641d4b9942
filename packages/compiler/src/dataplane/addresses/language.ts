import { diffContributed } from '../../diff/claims.js'
import type { Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import type { AddressState } from './ast.js'
import { checkAddresses } from './check.js'
import { addressClaims } from './claims.js'
import { printBatch } from './print.js'
import { assembleAddresses, DEVICE, isAddressId, resourcesOf } from './resources.js'

/** The addresses of the device `kube-ipvs0`. */
export const addressesLanguage: Language<AddressState> = {
  spellings: ['restore'],
  print: printBatch,
  check: checkAddresses,
  owns: isAddressId,
  resources: resourcesOf,
  assemble: assembleAddresses,
  diff: (before, after) =>
    diffContributed(before, after, { claims: addressClaims, fixed: () => THE_DEVICE, all: resourcesOf }),
}

const THE_DEVICE: Resources = new Map([[DEVICE.id, DEVICE]])
