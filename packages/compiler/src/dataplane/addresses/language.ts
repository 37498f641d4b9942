import { IPVS_DEVICE } from '@kube-rules/types'
import { diffContributed } from '../../diff/claims.js'
import type { Resource, Resources } from '../../diff/resource.js'
import type { Language } from '../language.js'
import type { AddressState } from './ast.js'
import { checkAddresses } from './check.js'
import { addressClaims } from './claims.js'
import { compareAddresses } from './compare.js'
import { ADDRESS_PROBLEM_CODES, type AddressProblemCode, isAddressLine, readAddresses } from './parse.js'
import { printBatch } from './print.js'
import { assembleAddresses, DEVICE, isAddressId, resourcesOf } from './resources.js'
import { scriptAddresses } from './script.js'

/** The addresses of the device `kube-ipvs0`. */
export const addressesLanguage: Language<AddressState, Resource, AddressProblemCode> = {
  spellings: ['restore'],
  print: printBatch,
  printedBy: `ip -o address show dev ${IPVS_DEVICE}`,
  begins: (line) => (isAddressLine(line) ? 'line' : undefined),
  read: readAddresses,
  problemCodes: ADDRESS_PROBLEM_CODES,
  canonical: ({ addresses }) => ({ addresses: [...new Set(addresses)].sort() }),
  check: checkAddresses,
  owns: isAddressId,
  resources: resourcesOf,
  assemble: assembleAddresses,
  diff: (before, after) =>
    diffContributed(before, after, { claims: addressClaims, fixed: () => THE_DEVICE, all: resourcesOf }),
  appliesByLine: false,
  script: scriptAddresses,
  stations: () => [],
  knows: ({ addresses }) => {
    const bound = new Set(addresses)
    return { isLocal: (address) => (bound.has(address) ? 'yes' : 'unknown') }
  },
  madeOf: 'addresses',
  compare: compareAddresses,
}

const THE_DEVICE: Resources = new Map([[DEVICE.id, DEVICE]])
