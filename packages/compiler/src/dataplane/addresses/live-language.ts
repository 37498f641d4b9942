import { IPVS_DEVICE } from '@kube-rules/types'
import type { Resource } from '../../diff/resource.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import { findingOf } from '../../internal/findings.js'
import type { LiveLanguage } from '../live-language.js'
import { linesWithOrigins } from '../netfilter/lines-with-origins.js'
import type { AddressState } from './ast.js'
import { addressesOf } from './claims.js'
import { compareAddresses } from './compare.js'
import { addressesLanguage } from './language.js'
import { originsOfLines } from './origins-of-lines.js'
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
  places: ({ addresses }) => addresses.map((address) => ({ address })),
  // Packets meet none of it: it tells only whose an address is.
  partsOf: () => ({ shared: [], parts: [] }),
  knows: (state) => {
    const bound = findingOf(state, boundAddresses)
    return { isLocal: (address) => (bound.has(address) ? 'yes' : 'unknown') }
  },
  linesOf: (state, options, make) =>
    linesWithOrigins(addressesLanguage.print(state, options), (lines) => originsOfLines(lines, state), make),
  madeOf: 'addresses',
  compare: compareAddresses,
}

/** Of a compiled state without putting them in order. */
function boundAddresses(state: AddressState): ReadonlySet<string> {
  const contributions = isOfList(state) ? listBehind(state, 'contributions') : undefined
  return contributions === undefined ? new Set(state.addresses) : addressesOf(contributions)
}
