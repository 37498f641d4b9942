import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { PacketClass } from './classes.js'

/** A set of packets: every combination of its destinations, arrivals and sources. Plain data. */
export interface PacketGroup {
  /** `TCP 10.96.0.10:80` */
  readonly destinations: readonly string[]
  /** `from the network` */
  readonly arrivals: readonly string[]
  /** `any other source in 10.244.0.0/16` */
  readonly sources: readonly string[]
}

/** The destinations that come first and are never cut. */
export type ImportantDestinations = readonly { readonly destination: string }[]

/** Describes the packets of classes: destination, arrival and source. All important destinations are listed. */
export function describePacketGroups(groups: readonly PacketGroup[], important: ImportantDestinations = []): string {
  const first = new Set(important.map(({ destination }) => destination))
  const countFirst = (destinations: readonly string[]) => destinations.filter((each) => first.has(each)).length
  const senders = new Map<string, string[]>()
  for (const { destinations, arrivals, sources } of groups) {
    const listed = truncateView(destinations, ' or ', '', countFirst(destinations))
    entryOf(senders, listed, () => []).push(`${few(arrivals)}, ${few(sources)}`)
  }
  const texts = Array.from(senders, ([destinations, each]) => `${destinations}, ${each.join(', and ')}`)
  const importantTexts = new Set(
    groups.filter(({ destinations }) => countFirst(destinations) > 0).map(({ destinations }) => destinations.join()),
  )
  return truncateView(texts, '; ', 'groups of packets', importantTexts.size)
}

/**
 * Maximum number of listed items. If there is only one more item, it is listed too. Otherwise, the further items are
 * only counted.
 */
const MOST = 3

function few(texts: readonly string[]): string {
  return truncateView(texts, ' or ')
}

/** Joins the first texts, and counts the rest. At least `important` texts are listed. */
function truncateView(texts: readonly string[], separator: string, what = '', important = 0): string {
  const listed = Math.max(MOST, important)
  if (texts.length <= listed + 1) return texts.join(separator)
  const more = [`${texts.length - listed}`, 'more', what].filter((word) => word !== '').join(' ')
  return `${texts.slice(0, listed).join(separator)}${separator}${more}`
}

/**
 * Returns groups that contain exactly the packets of the given classes: important destinations first, the rest in
 * order of first occurrence. Destinations with the same senders are one group. Within a group, arrivals with the same
 * sources are combined.
 */
export function groupPacketClasses(
  classes: readonly PacketClass[],
  important: ImportantDestinations = [],
): readonly PacketGroup[] {
  const senders = new Map<string, Map<string, Set<string>>>()
  for (const { destination } of important) senders.set(destination, new Map())
  for (const each of classes) {
    const arrivals = entryOf(senders, formatDestination(each), () => new Map<string, Set<string>>())
    entryOf(arrivals, formatArrival(each), () => new Set<string>()).add(formatSource(each))
  }
  const byArrival = Array.from(senders, ([destination, arrivals]) => ({
    destination,
    bySources: keysByValues(arrivals),
  }))
  const alike = new Map<string, { readonly destinations: string[]; readonly bySources: BySources }>()
  for (const { destination, bySources } of byArrival) {
    entryOf(alike, JSON.stringify(bySources), () => ({ destinations: [], bySources })).destinations.push(destination)
  }
  return [...alike.values()].flatMap(({ destinations, bySources }) =>
    bySources.map(({ arrivals, sources }) => ({ destinations, arrivals, sources })),
  )
}

type BySources = readonly { readonly arrivals: readonly string[]; readonly sources: readonly string[] }[]

/** Groups arrivals that have the same sources. The order of sources does not matter. */
function keysByValues(arrivals: ReadonlyMap<string, ReadonlySet<string>>): BySources {
  const bySources = new Map<string, { readonly arrivals: string[]; readonly sources: readonly string[] }>()
  for (const [arrival, sources] of arrivals) {
    const sorted = [...sources].sort()
    entryOf(bySources, sorted.join('\n'), () => ({ arrivals: [], sources: [...sources] })).arrivals.push(arrival)
  }
  return [...bySources.values()]
}

function entryOf<Value>(map: Map<string, Value>, key: string, create: () => Value): Value {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const made = create()
  map.set(key, made)
  return made
}

/** Formats the destination of a class: `TCP 10.96.0.10:80`. */
export function formatDestination({ packet, isOtherPort, isOtherAddress }: PacketClass): string {
  const { protocol, destination, destinationPort } = packet
  const other = isOtherAddress ? `${protocol} to addresses like ${destination}` : protocol
  if (isOtherPort) return isOtherAddress ? other : `${protocol} any other port of ${destination}`
  return isOtherAddress
    ? `${other}, port ${destinationPort}`
    : `${protocol} ${joinHostPort(destination, destinationPort)}`
}

function formatArrival({ packet: { origin, inInterface } }: PacketClass): string {
  if (origin === 'node') return 'locally generated'
  const by = inInterface === undefined || inInterface === 'other0' ? '' : ` by ${inInterface}`
  return origin === 'pod' ? `from a pod${by}, maybe over a bridge` : `from the network${by}`
}

function formatSource({ sourceIn, packet }: PacketClass): string {
  if (sourceIn === undefined) return 'any other source'
  return sourceIn.includes('/') || sourceIn.includes('-')
    ? `any other source in ${sourceIn}`
    : `source ${packet.source}`
}
