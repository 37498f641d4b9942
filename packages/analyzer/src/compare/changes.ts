import type { ComparedSide, Difference } from './compare-sides.js'
import { formatCause, formatSide } from './format-comparison.js'
import type { PacketGroup } from './packet-groups.js'

/** A group of differences that have the same service ports, old outcomes and new outcomes. */
export interface PacketChange {
  readonly services: readonly string[]
  /** `TCP 10.96.0.10:80, 192.168.0.2:30080` */
  readonly destinations: string
  /** The senders: `from the network, any other source`. */
  readonly senders: string
  readonly a: string
  readonly b: string
  /** The differences between two versions that cause the change. Empty if the comparison is not between versions. */
  readonly causes: readonly string[]
}

/** Groups differences into changes, in order of first occurrence. */
export function groupDifferences(differences: readonly Difference[]): readonly PacketChange[] {
  const groups = new Map<string, [Difference, ...Difference[]]>()
  for (const difference of generalFirst(differences)) {
    const key = JSON.stringify([difference.services, outlineOf(difference.a), outlineOf(difference.b)])
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, [difference])
    else existing.push(difference)
  }
  const all = [...groups.values()]
  const hosts = new Map(all.map((group) => [group, hostOf(group, all)]))
  const unhosted = all.filter((group) => hosts.get(group) === undefined)
  return unhosted.map((group) =>
    changeOf(
      group,
      all.filter((each) => hosts.get(each) === group),
    ),
  )
}

/** The differences that belong to one change. */
type Group = readonly [Difference, ...Difference[]]

/**
 * Returns the group that covers a group of packets to loopback addresses only. The kernel drops such packets because of
 * their source. The covering group has the same service ports, all destinations of `group` and at least one destination
 * that is not a loopback address, and the same outcome as `group` on at least one side. Returns undefined for other
 * groups, or if no group covers `group`.
 */
function hostOf(group: Group, all: readonly Group[]): Group | undefined {
  const own = destinationsOf(group)
  if (!own.every(isLoopback)) return undefined
  return all.find((other) => {
    const others = destinationsOf(other)
    return !others.every(isLoopback) && own.every((text) => others.includes(text)) && haveEqualSide(group, other)
  })
}

function haveEqualSide([one]: Group, [other]: Group): boolean {
  return (
    one.services.join() === other.services.join() &&
    sides.some((side) => JSON.stringify(outlineOf(one[side])) === JSON.stringify(outlineOf(other[side])))
  )
}

const sides = ['a', 'b'] as const

function destinationsOf(group: Group): readonly string[] {
  return group.flatMap(({ packetGroups }) => packetGroups.flatMap(({ destinations }) => destinations))
}

/**
 * Moves differences for individual sources (without `any other source`) to the end, because these sources are mostly
 * the endpoints themselves.
 */
function generalFirst(differences: readonly Difference[]): readonly Difference[] {
  return [...differences.filter(isGeneral), ...differences.filter((each) => !isGeneral(each))]
}

function isGeneral({ packetGroups }: Difference): boolean {
  return packetGroups.some(({ sources }) => sources.some((source) => source.startsWith(OTHER)))
}

const OTHER = 'any other source'
const MASQUERADED = /, masqueraded$/

/**
 * Returns the affinity timeout and the distinct outcomes, without masquerading and probabilities. Differences with the
 * same result of this function on both sides are one change.
 */
function outlineOf({ outcomes, affinitySeconds }: ComparedSide): readonly unknown[] {
  return [[...new Set(Object.keys(outcomes).map(placeOf))].sort(), affinitySeconds ?? 0]
}

/**
 * Returns an outcome excluding masquerading. Also omits whether an unmatched packet is to the node, because this
 * follows from the destination of the packet.
 */
function placeOf(outcome: string): string {
  return outcome.replace(MASQUERADED, '').replace(/^to the node, (?=not handled)/, '')
}

function changeOf(differences: Group, onLoopback: readonly Group[]): PacketChange {
  const [{ services, a, b }] = differences
  const groups = differences.flatMap(({ packetGroups }) => packetGroups)
  const [from, to] = sideWords(a, b)
  return {
    services,
    destinations: destinationWords(destinationsOf(differences)),
    senders: senderWords(groups),
    a: from + loopbackWords('a', a, onLoopback),
    b: to + loopbackWords('b', b, onLoopback),
    causes: [...new Set([differences, ...onLoopback].flat().flatMap(({ causes = [] }) => causes.map(formatCause)))],
  }
}

/**
 * Describes the outcome of packets to loopback addresses on one side if it differs from the outcome of the other
 * packets.
 */
function loopbackWords(side: 'a' | 'b', general: ComparedSide, onLoopback: readonly Group[]): string {
  const places = onLoopback.flatMap(([difference]) => placesOf(difference[side]))
  const own = placesOf(general)
  const other = [...new Set(places)].filter((place) => !own.includes(place))
  return other.length === 0 ? '' : ` (${other.join(' or ')} for some packets to loopback addresses)`
}

/**
 * Describes both sides in the aspects that differ: outcomes, masquerading and affinity. If none of these differ,
 * describes the probabilities.
 */
function sideWords(a: ComparedSide, b: ComparedSide): readonly [string, string] {
  const [from, to] = [placesOf(a), placesOf(b)]
  const hasPlaces = from.join() !== to.join()
  const masquerading = [masqueradeOf(a), masqueradeOf(b)]
  const hasMasquerading = masquerading[0] !== masquerading[1] && !masquerading.includes('')
  const words = (side: ComparedSide, places: readonly string[], others: readonly string[]) =>
    [
      ...(hasPlaces ? [placeWords(places, others)] : []),
      ...(hasMasquerading ? [masqueradeOf(side)] : []),
      ...(a.affinitySeconds === b.affinitySeconds ? [] : [affinityWords(side)]),
    ].filter((text) => text !== '')
  const [left, right] = [words(a, from, []), words(b, to, from)]
  // The sides differ in probabilities only.
  if (left.length + right.length === 0) return [formatSide(a), formatSide(b)]
  return [left.join(', '), right.join(', ')]
}

function placesOf({ outcomes }: ComparedSide): readonly string[] {
  return [...new Set(Object.keys(outcomes).map(placeOf))].sort()
}

/** Maximum number of outcomes that are listed. Further outcomes are only counted. */
const MOST_PLACES = 2

function placeWords(places: readonly string[], before: readonly string[]): string {
  if (places.length <= MOST_PLACES) return places.join(' or ')
  const added = places.filter((place) => !before.includes(place))
  const isNamed = before.length > 0 && added.length > 0 && added.length <= MOST_PLACES
  return `${places.length} endpoints${isNamed ? ` with ${added.join(' and ')}` : ''}`
}

function masqueradeOf({ outcomes }: ComparedSide): string {
  const delivered = Object.keys(outcomes).filter((outcome) => /\d$|, masqueraded$/.test(outcome))
  const masqueraded = delivered.filter((outcome) => MASQUERADED.test(outcome))
  if (delivered.length === 0) return ''
  if (masqueraded.length === 0) return 'with the client IP'
  return masqueraded.length === delivered.length ? 'masqueraded' : 'partly masqueraded'
}

function affinityWords({ affinitySeconds }: ComparedSide): string {
  return affinitySeconds === undefined ? 'no session affinity' : `session affinity of ${affinitySeconds} s`
}

/** Maximum number of destinations that are listed. Further destinations are only counted. */
const MOST_DESTINATIONS = 12

function destinationWords(destinations: readonly string[]): string {
  const all = [...new Set(destinations)].sort(byProtocol)
  const ranges = all.flatMap((text) => LOOPBACK_RANGE.exec(text)?.slice(1).join(' ') ?? [])
  const others = all.filter((text) => !LOOPBACK_RANGE.test(text) && !ranges.includes(loopbackPort(text)))
  const texts = [...others, ...new Set(ranges.map((text) => text.replace(' ', ' loopback ')))]
  const named = texts.slice(0, MOST_DESTINATIONS).map((text, index) => withoutProtocol(text, texts[index - 1]))
  const more = texts.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Matches the destination text for all loopback addresses that no rule names, on one port. */
const LOOPBACK_RANGE = /^([A-Z]+) to addresses like (?:127\.[\d.]+), (port \d+)$/

/** Returns the port text of a loopback address, in the form that `LOOPBACK_RANGE` matches. Empty for other destinations. */
function loopbackPort(text: string): string {
  return /^([A-Z]+) 127\.[\d.]+:(\d+)$/.exec(text)?.slice(1).join(' port ') ?? ''
}

/** Orders destinations by protocol, TCP first. Within a protocol, loopback addresses are last. */
function byProtocol(a: string, b: string): number {
  return (
    PROTOCOLS.indexOf(protocolOf(a)) - PROTOCOLS.indexOf(protocolOf(b)) || Number(isLoopback(a)) - Number(isLoopback(b))
  )
}

const PROTOCOLS: readonly string[] = ['TCP', 'UDP', 'SCTP']

function protocolOf(text: string): string {
  return text.slice(0, text.indexOf(' '))
}

function isLoopback(text: string): boolean {
  return / (?:127\.|\[::1\])/.test(text)
}

/** Returns a destination text, without its protocol if the preceding text (`before`) has the same protocol. */
function withoutProtocol(text: string, before: string | undefined): string {
  const protocol = `${protocolOf(text)} `
  return before?.startsWith(protocol) ? text.slice(protocol.length) : text
}

/** Describes senders. "Any other source" includes the named sources. */
function senderWords(groups: readonly PacketGroup[]): string {
  const arrivals = [...new Set(groups.flatMap((group) => group.arrivals))]
  const sources = [...new Set(groups.flatMap((group) => group.sources))]
  const others = sources.filter((source) => source.startsWith(OTHER))
  const named = others.includes(OTHER) ? [OTHER] : others.length > 0 ? others : sources
  const isEverywhere = arrivals.includes('locally generated') && arrivals.includes('from the network')
  const shown = named.slice(0, MOST_DESTINATIONS).join(' or ')
  return `${isEverywhere ? '' : `${arrivals.join(' or ')}, `}${shown}`
}
