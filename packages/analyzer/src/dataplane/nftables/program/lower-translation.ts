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
const MOST_ADDRESSES = 16

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
  const choices = addressesBetween(addresses, family)?.map((address): Choice | undefined => {
    const effect = effectOf(address)
    return effect && { condition: conditionOf(address), effects: [effect] }
  })
  return choices?.every((choice) => choice !== undefined) === true ? { kind: 'choose', choices } : undefined
}

function changeDestination(
  statement: TranslateClause['statement'],
  address: string | undefined,
  port: number | undefined,
): Effect | undefined {
  if (statement !== 'redirect') return { kind: 'translateDestination', address, port }
  return address === undefined ? { kind: 'redirect', port } : undefined
}

/** Returns the addresses of a range. Undefined if there are too many. */
function addressesBetween(
  { first, last }: { readonly first: string; readonly last: string },
  family: IpFamily,
): readonly string[] | undefined {
  const [from, to] = [addressToNumber(first, family), addressToNumber(last, family)]
  if (from === undefined || to === undefined || to < from || to - from >= MOST_ADDRESSES) return undefined
  return Array.from({ length: Number(to - from) + 1 }, (_, at) => numberToAddress(from + BigInt(at), family))
}

/**
 * Returns the effect of a translation to one of several ports. The kernel keeps a port of the range, and takes the
 * first one for any other port.
 */
function choosePort(
  ports: PortRange | undefined,
  effectOf: (port: number | undefined) => Effect | undefined,
): Effect | undefined {
  if (ports === undefined || ports.first === ports.last) return effectOf(ports?.first)
  const [kept, changed] = [effectOf(undefined), effectOf(ports.first)]
  if (kept === undefined || changed === undefined) return undefined
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
export function translationToData(statement: TranslateClause['statement'], data: string): Effect | undefined {
  if (statement === 'snat') return { kind: 'masquerade' }
  const parts = splitConcatenation(data)
  const [first = '', second] = parts
  if (statement === 'redirect') return parts.length === 1 ? redirectTo(first) : undefined
  if (parts.length > 2 || !/^[\da-fA-F.:]+$/.test(first)) return undefined
  if (second === undefined) {
    return isAddress(first) ? { kind: 'translateDestination', address: first } : translateToPort(undefined, first)
  }
  return isAddress(first) ? translateToPort(first, second) : undefined
}

function isAddress(text: string): boolean {
  return text.includes('.') || text.includes(':')
}

function redirectTo(text: string): Effect | undefined {
  const port = singlePort(text)
  return port === undefined ? undefined : { kind: 'redirect', port }
}

function translateToPort(address: string | undefined, text: string): Effect | undefined {
  const port = singlePort(text)
  return port === undefined ? undefined : { kind: 'translateDestination', address, port }
}

function singlePort(text: string): number | undefined {
  const range = readPortRange(text)
  return range !== undefined && range.first === range.last ? range.first : undefined
}
