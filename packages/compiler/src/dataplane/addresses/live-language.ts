import { IPVS_DEVICE } from '@kube-rules/types'
import type { Resource } from '../../diff/resource.js'
import type { LiveLanguage } from '../live-language.js'
import type { AddressState } from './ast.js'
import { compareAddresses } from './compare.js'
import { ADDRESS_PROBLEM_CODES, type AddressProblemCode, isAddressLine, readAddresses } from './parse.js'
import { pastedAddresses } from './pasted.js'
import { scriptAddresses } from './script.js'

/** How they are dealt with on a node. */
export const liveAddressesLanguage: LiveLanguage<AddressState, Resource, AddressProblemCode> = {
  printedBy: `ip -o address show dev ${IPVS_DEVICE}`,
  begins: (line) => (isAddressLine(line) ? 'line' : undefined),
  read: readAddresses,
  pasted: pastedAddresses,
  problemCodes: ADDRESS_PROBLEM_CODES,
  canonical: ({ addresses }) => ({ addresses: [...new Set(addresses)].sort() }),
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
