import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { IpFamily } from '@kube-rules/types'
import { addressToNumber, numberToAddress } from '../../../program/address-range.js'
import type { Elements, RangeElement } from '../../../program/elements.js'
import type { Choice, Effect, PortRange } from '../../../program/program.js'
import type { TranslateClause } from './clause.js'
import { readPortRange } from './compare-port.js'

/** Reports whether a translation is for packets of another family, and does nothing with others. */
export function isOfOtherFamily({ family }: TranslateClause, packets: IpFamily): boolean {
  return family !== undefined && (family === 'ip') !== (packets === 'IPv4')
}

/** The maximum number of addresses of a range that are followed individually. */
const MAX_ADDRESSES = 16

/** Formats the assumption that the kernel chooses an address of a range. */
type ConditionOf = (address: string) => string

/** Returns the effect of a translation without a map. Undefined if it cannot be computed. */
export function translationEffect(
  clause: TranslateClause,
  family: IpFamily,
  conditionOf: ConditionOf,
): Effect | undefined {
  const { statement, to, isRandom } = clause
  // The new source is an address of the node, whatever it is.
  if (statement === 'masquerade' || (statement === 'snat' && to.kind !== 'map')) return { kind: 'masquerade' }
  if (to.kind === 'fixed') return changeDestination(statement, to.address, to.port)
  if (to.kind !== 'range') return undefined
  const { addresses, ports } = to
  if (isRandom === true && ports !== undefined && ports.first !== ports.last) return undefined
  const effectOf = (address: string | undefined) =>
    choosePort(ports, (port) => changeDestination(statement, address, port))
  if (addresses === undefined || addresses.first === addresses.last) return effectOf(addresses?.first)
  const choices = addressesBetween(addresses, family)?.map(
    (address): Choice => ({ condition: conditionOf(address), effects: [effectOf(address)] }),
  )
  return choices && { kind: 'choose', choices }
}

function changeDestination(
  statement: TranslateClause['statement'],
  address: string | undefined,
  port: number | undefined,
): Effect {
  return statement === 'redirect' ? { kind: 'redirect', port } : { kind: 'translateDestination', address, port }
}

/** Returns the addresses of a range. Undefined if there are too many. */
function addressesBetween(
  { first, last }: { readonly first: string; readonly last: string },
  family: IpFamily,
): readonly string[] | undefined {
  const [from, to] = [addressToNumber(first, family), addressToNumber(last, family)]
  if (from === undefined || to === undefined || to < from || to - from >= MAX_ADDRESSES) return undefined
  return Array.from({ length: Number(to - from) + 1 }, (_, at) => numberToAddress(from + BigInt(at), family))
}

/**
 * Returns the effect of a translation to one of several ports. The kernel keeps a port of the range, and takes the
 * first one for any other port.
 */
function choosePort(ports: PortRange | undefined, effectOf: (port: number | undefined) => Effect): Effect {
  if (ports === undefined || ports.first === ports.last) return effectOf(ports?.first)
  const [kept, changed] = [effectOf(undefined), effectOf(ports.first)]
  const others = [
    { first: 0, last: ports.first - 1 },
    { first: ports.last + 1, last: 65535 },
  ].filter(({ first, last }) => first <= last)
  const ranges = [ports, ...others].map(portElement)
  const elements: Elements = { name: '', exact: new Map(), ranges, isPartlyUnknown: false }
  return {
    kind: 'dispatch',
    fields: ['destinationPort'],
    elements: () => elements,
    effectsOf: (element) => [element === ranges[0] ? kept : changed],
    unknownReason: () => 'the port of the destination is unknown',
  }
}

function portElement({ first, last }: PortRange): RangeElement {
  const text = `${first}-${last}`
  return { key: text, components: [{ kind: 'numbers', first: BigInt(first), last: BigInt(last), text }] }
}

/** Returns the effect of a translation to the data of a map element. Undefined if it cannot be computed. */
export function translationToData(statement: TranslateClause['statement'], data = ''): Effect | undefined {
  if (statement === 'snat') return { kind: 'masquerade' }
  const parts = splitConcatenation(data)
  const [address] = statement === 'redirect' ? [] : parts.filter(isAddress)
  const [port, ...others] = parts.slice(address === undefined ? 0 : 1)
  if (others.length > 0 || (address !== undefined && address !== parts[0])) return undefined
  if (port === undefined) return changeDestination(statement, address, undefined)
  const range = readPortRange(port)
  return range !== undefined && range.first === range.last
    ? changeDestination(statement, address, range.first)
    : undefined
}

function isAddress(text: string): boolean {
  return /^[\da-fA-F]*[.:][\da-fA-F.:]*$/.test(text)
}
