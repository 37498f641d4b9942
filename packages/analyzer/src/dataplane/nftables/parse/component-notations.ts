import { resolvePortNames } from '../../netfilter/port-names.js'

/** The connection states by bit, which `nft -n` prints as numbers. */
const CT_STATES: ReadonlyMap<number, string> = new Map([
  [1, 'invalid'],
  [2, 'established'],
  [4, 'related'],
  [8, 'new'],
  [64, 'untracked'],
])

const CT_STATUSES: ReadonlyMap<number, string> = new Map([
  [1, 'expected'],
  [2, 'seen-reply'],
  [4, 'assured'],
  [8, 'confirmed'],
  [16, 'snat'],
  [32, 'dnat'],
  [512, 'dying'],
])

const ADDRESS_TYPES: ReadonlyMap<number, string> = new Map([
  [1, 'unicast'],
  [2, 'local'],
  [3, 'broadcast'],
  [4, 'anycast'],
  [5, 'multicast'],
  [6, 'blackhole'],
  [7, 'unreachable'],
  [8, 'prohibit'],
])

/**
 * Converts a value to the notation of `nft list` without options. `nft -n list` prints states and address types as
 * numbers, and `nft -S list` prints ports as names in quotes.
 */
export function toDefaultNotation(word: string, type: string): string {
  switch (type) {
    case 'ct_state':
      return nameOf(word, CT_STATES)
    case 'ct_status':
      return nameOf(word, CT_STATUSES)
    case 'fib_addrtype':
      return nameOf(word, ADDRESS_TYPES)
    case 'inet_service':
      return word.startsWith('"') ? toPortNumber(word) : word
    default:
      return word
  }
}

/** Converts `"http"` to `80`. Returns an unknown name unchanged, with its quotes. */
export function toPortNumber(word: string): string {
  const number = resolvePortNames(word.slice(1, -1))
  return /^\d+$/.test(number) ? number : word
}

function nameOf(word: string, names: ReadonlyMap<number, string>): string {
  return /^(?:0x[\da-f]+|\d+)$/.test(word) ? (names.get(Number(word)) ?? word) : word
}
