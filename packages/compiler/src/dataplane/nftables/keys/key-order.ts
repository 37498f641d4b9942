import { hostPrefixLengthOf } from '@kube-rules/types/internal/cidr'
import { compareValues } from '../../../internal/compare-values.js'
import { elementAt } from '../../../internal/known-items.js'
import { parseProtocolNumber } from '../../netfilter/protocols.js'
import type { NftVersion } from '../version.js'
import { parseNumber } from '../words.js'
import { numberToBytes, parseAddressNumber } from './address-numbers.js'
import { splitConcatenation } from './key-components.js'

/**
 * Sorts items by key, in the print order of nft. Keys with one component are sorted by number. Concatenations are
 * sorted by their bytes: up to nft 1.1.3 from the last component to the first, in later versions from the first
 * component to the last. If the order cannot be determined, for example in sets with ranges, the items keep their
 * order.
 */
export function sortAsListed<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  types: readonly string[],
  version: NftVersion,
): readonly Item[] {
  if (items.length < 2) return items
  const reversed = types.length > 1 && version === '1.0'
  const ranked: { readonly item: Item; readonly rank: string }[] = []
  for (const item of items) {
    const rank = rankOf(keyOf(item), types, reversed)
    if (rank === undefined) return items
    ranked.push({ item, rank })
  }
  ranked.sort((left, right) => compareValues(left.rank, right.rank))
  return ranked.map(({ item }) => item)
}

/** The maximum number of components of a key. A key has at most 64 bytes in the kernel, and a component at least 4. */
const MAX_COMPONENTS = 16

/** Returns the bytes of a key as a string to sort by. With `reversed`, they are in reverse order. Undefined if unknown. */
function rankOf(key: string, types: readonly string[], reversed: boolean): string | undefined {
  const parts = types.length === 1 ? [key] : splitConcatenation(key)
  if (parts.length !== types.length || parts.length > MAX_COMPONENTS) return undefined
  const bytes: number[] = []
  for (const [index, part] of parts.entries()) {
    const type = elementAt(types, index)
    const some = bytesOf(part, type)
    if (some === undefined) return undefined
    // Within a concatenation, nft sorts a mark in the byte order of the machine (little-endian).
    bytes.push(...(type === 'mark' && parts.length > 1 ? some.reverse() : some))
  }
  return String.fromCharCode(...(reversed ? bytes.reverse() : bytes))
}

/** The names of the bits of conntrack states and statuses, starting with the lowest bit. */
const CT_STATES = ['invalid', 'established', 'related', 'new', '', '', 'untracked']
const CT_STATUSES = ['expected', 'seen-reply', 'assured', 'confirmed', 'snat', 'dnat', '', '', '', 'dying']

/** Returns the bit of a flag word, because nft sorts flags by their bits. Returns undefined for other types and words. */
export function flagBitOf(word: string, type: string): number | undefined {
  const words = type === 'ct_state' ? CT_STATES : type === 'ct_status' ? CT_STATUSES : []
  const bit = words.indexOf(word)
  return bit < 0 || word === '' ? undefined : bit
}

function bytesOf(part: string, type: string): number[] | undefined {
  switch (type) {
    case 'ipv4_addr':
    case 'ipv6_addr': {
      const address = parseAddressNumber(part)
      if (address === undefined || (address.family === 'IPv6') !== (type === 'ipv6_addr')) return undefined
      return numberToBytes(address.number, hostPrefixLengthOf(address.family) / 8)
    }
    case 'inet_proto':
      return bytesOf32(parseProtocolNumber(part), 1)
    case 'inet_service':
      return bytesOf32(parseNumber(part), 2)
    case 'mark':
    case 'integer':
      return bytesOf32(parseNumber(part), 4)
    case 'ifname':
      return interfaceBytes(part)
    case 'ct_state':
      return bytesOf32(flagBitOf(part, type), 1)
    default:
      return undefined
  }
}

function bytesOf32(number: number | undefined, length: number): number[] | undefined {
  return number === undefined || number >= 2 ** (8 * length) ? undefined : numberToBytes(BigInt(number), length)
}

/** Returns the bytes of an interface name. The kernel stores 16 bytes, and the last byte is the most significant byte. */
function interfaceBytes(name: string): number[] | undefined {
  if (!/^[!-)+-~]{1,15}$/.test(name)) return undefined
  const bytes = Array.from(name.padEnd(16, '\0'), (character) => character.charCodeAt(0))
  return bytes.reverse()
}
