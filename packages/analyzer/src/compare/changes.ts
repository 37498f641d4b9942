import { type Difference, isTakeover, type SideOutcomes } from './comparison.js'
import { formatCause, formatSide, isEndpoint } from './format-comparison.js'
import { shortenName } from './markdown.js'
import { NODE_AS_OCCUPANT } from './occupants.js'
import type { PacketGroup } from './packet-groups.js'

/** A group of differences that have the same service ports, old outcomes and new outcomes. */
export interface PacketChange {
  readonly services: readonly string[]
  /** The importance: 0 for a takeover, 1 for packets that had an outcome before, else 2. */
  readonly rank: number
  /** Each destination that was in use, then the remaining ones in one text: `TCP 10.96.0.10:80, 192.168.0.2:30080`. */
  readonly destinations: readonly string[]
  /** The senders: `from the network, any other source`. */
  readonly senders: string
  readonly a: string
  readonly b: string
  /** The differences between two versions of kube-proxy, and the reasons of rejections, that explain the change. */
  readonly causes: readonly string[]
}

/** Groups differences into changes, the most important ones first. */
export function groupDifferences(differences: readonly Difference[]): readonly PacketChange[] {
  const groups = new Map<string, [Difference, ...Difference[]]>()
  for (const difference of generalFirst(differences)) {
    const { services, a, b } = difference
    const key = JSON.stringify([services, outlineOf(a), outlineOf(b), isTakenFromNode(difference)])
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, [difference])
    else existing.push(difference)
  }
  const all = [...groups.values()]
  const coveringGroups = new Map(all.map((group) => [group, findCoveringGroup(group, all)]))
  const uncovered = all.filter((group) => coveringGroups.get(group) === undefined)
  const changes = uncovered.map((group) =>
    changeOf(
      group,
      all.filter((each) => coveringGroups.get(each) === group),
    ),
  )
  return changes.sort((one, other) => one.rank - other.rank)
}

/** The differences that belong to one change. */
type Group = readonly [Difference, ...Difference[]]

/**
 * Returns the group that covers a group of packets to loopback addresses only. The kernel drops such packets because of
 * their source. The covering group has the same service ports, all destinations of `group` and at least one destination
 * that is not a loopback address, and the same outcome as `group` on at least one side. Returns undefined for other
 * groups, or if no group covers `group`.
 */
function findCoveringGroup(group: Group, all: readonly Group[]): Group | undefined {
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
 * Returns the affinity timeout and the distinct outcomes, without masquerading and probabilities, and those of random
 * choices. Differences with the same result of this function on both sides are one change.
 */
function outlineOf({ outcomes, affinitySeconds, choices = [] }: SideOutcomes): readonly unknown[] {
  const chosen = choices.map((choice) => [choice.servicePort, placesOf(choice), choice.affinitySeconds ?? 0])
  if (chosen.length > 0) return chosen
  return [[...new Set(placesOf({ outcomes }).map(withoutNode))].sort(), affinitySeconds ?? 0]
}

/** Returns an outcome excluding masquerading. */
function placeOf(outcome: string): string {
  return outcome.replace(MASQUERADED, '')
}

/** Omits whether an unmatched packet is to the node, because this follows from the destination of the packet. */
function withoutNode(place: string): string {
  return place.replace(/^to the node, (?=not handled)/, '')
}

/** Reports whether the packets of a difference reached the node before. Such differences are a change of their own. */
function isTakenFromNode({ occupied = [] }: Difference): boolean {
  return occupied.some(({ occupant }) => occupant === NODE_AS_OCCUPANT)
}

/** Returns the importance of a change. */
function rankOf(differences: Group): number {
  if (differences.some(isTakeover)) return 0
  return placesOf(differences[0].a).every((place) => place === UNMATCHED) ? 2 : 1
}

function changeOf(differences: Group, onLoopback: readonly Group[]): PacketChange {
  const [{ services }] = differences
  const groups = differences.flatMap(({ packetGroups }) => packetGroups)
  const [a, b] = [joinSides(differences, 'a'), joinSides(differences, 'b')]
  const [from, to] = sideWords(a, b)
  const occupied = new Map(
    differences.flatMap((each) => each.occupied ?? []).map(({ destination, occupant }) => [destination, occupant]),
  )
  return {
    services,
    rank: rankOf(differences),
    destinations: destinationWords(destinationsOf(differences), occupied),
    senders: senderWords(groups),
    a: from + loopbackWords('a', a, onLoopback),
    b: to + loopbackWords('b', b, onLoopback),
    causes: [...new Set([differences, ...onLoopback].flat().flatMap(causesOf))],
  }
}

function causesOf({ causes = [], reason }: Difference): readonly string[] {
  return [...causes.map(formatCause), ...(reason === undefined ? [] : [reason])]
}

/**
 * Returns one side of the first difference, with the unmatched outcomes of all differences: to the node, or not.
 * Differences of packets to loopback addresses only are left out, unless all differences are of this kind.
 */
function joinSides(differences: Group, side: 'a' | 'b'): SideOutcomes {
  const [first] = differences
  const { outcomes, affinitySeconds, choices } = first[side]
  const others = differences.filter((each) => !destinationsOf([each]).every(isLoopback))
  const unmatched = (others.length > 0 ? others : differences).flatMap((each) =>
    Object.entries(each[side].outcomes).filter(isUnmatched),
  )
  const matched = Object.entries(outcomes).filter((entry) => !isUnmatched(entry))
  return { affinitySeconds, choices, outcomes: Object.fromEntries([...matched, ...unmatched]) }
}

function isUnmatched([outcome]: readonly [string, string]): boolean {
  return withoutNode(placeOf(outcome)) === UNMATCHED
}

/** The outcome of packets that kube-proxy does not handle, and that are not to the node. */
const UNMATCHED = 'not handled by kube-proxy'

/**
 * Describes the outcome of packets to loopback addresses on one side if it differs from the outcome of the other
 * packets.
 */
function loopbackWords(side: 'a' | 'b', general: SideOutcomes, onLoopback: readonly Group[]): string {
  const places = onLoopback.flatMap(([difference]) => placesOf(difference[side]))
  const own = placesOf(general)
  const other = [...new Set(places)].filter((place) => !own.includes(place))
  return other.length === 0 ? '' : ` (${other.join(' or ')} for some packets to loopback addresses)`
}

/**
 * Describes both sides in the aspects that differ: outcomes, masquerading and affinity. If none of these differ,
 * describes the probabilities.
 */
function sideWords(a: SideOutcomes, b: SideOutcomes): readonly [string, string] {
  if (a.choices !== undefined || b.choices !== undefined) return [choiceWords(a), choiceWords(b)]
  const [from, to] = [placesOf(a), placesOf(b)]
  const hasPlaces = from.join() !== to.join()
  const masquerading = [masqueradeOf(a), masqueradeOf(b)]
  const hasMasquerading = masquerading[0] !== masquerading[1] && !masquerading.includes('')
  const words = (side: SideOutcomes, places: readonly string[], others: readonly string[]) =>
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

function choiceWords(side: SideOutcomes): string {
  return side.choices === undefined ? placeWords(placesOf(side), []) : formatSide(side)
}

function placesOf({ outcomes }: Pick<SideOutcomes, 'outcomes'>): readonly string[] {
  return [...new Set(Object.keys(outcomes).map(placeOf))].sort()
}

/** Maximum number of endpoints that are listed. Further endpoints are only counted. */
const MAX_PLACES = 2

/** Describes outcomes. All outcomes that are no endpoints are listed. */
function placeWords(places: readonly string[], before: readonly string[]): string {
  if (places.length <= MAX_PLACES) return places.join(' or ')
  const [endpoints, others] = [places.filter(isEndpoint), places.filter((place) => !isEndpoint(place))]
  const added = endpoints.filter((place) => !before.includes(place))
  const isNamed = before.length > 0 && added.length > 0 && added.length <= MAX_PLACES
  const counted = `${endpoints.length} endpoints${isNamed ? ` with ${added.join(' and ')}` : ''}`
  return [...(endpoints.length <= MAX_PLACES ? endpoints : [counted]), ...others].join(' or ')
}

function masqueradeOf({ outcomes }: SideOutcomes): string {
  const delivered = Object.keys(outcomes).filter((outcome) => /\d$|, masqueraded$/.test(outcome))
  const masqueraded = delivered.filter((outcome) => MASQUERADED.test(outcome))
  if (delivered.length === 0) return ''
  if (masqueraded.length === 0) return 'with the client IP'
  return masqueraded.length === delivered.length ? 'masqueraded' : 'partly masqueraded'
}

function affinityWords({ affinitySeconds }: SideOutcomes): string {
  return affinitySeconds === undefined ? 'no session affinity' : `session affinity of ${affinitySeconds} s`
}

/** Maximum number of destinations that are listed. Further destinations are only counted. */
const MAX_DESTINATIONS = 12

/** Maximum number of destinations in use that are listed, so that one change does not fill a whole comment. */
const MAX_OCCUPIED = 100

/** Describes destinations. Those that were in use come first, each with its former use. */
function destinationWords(destinations: readonly string[], occupied: ReadonlyMap<string, string>): readonly string[] {
  const first = Array.from(occupied, ([destination, occupant]) => `${destination} (${shortenName(occupant)})`)
  const listed = first.slice(0, MAX_OCCUPIED)
  const omitted = first.length > listed.length ? [`${first.length - listed.length} more that were in use`] : []
  const rest = otherDestinationWords(destinations.filter((each) => !occupied.has(each)))
  return [...listed, ...omitted, ...(rest === '' ? [] : [rest])]
}

function otherDestinationWords(destinations: readonly string[]): string {
  const ranks = new Map(destinations.map((text) => [text, rankOfDestination(text)]))
  const all = [...ranks.keys()].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0))
  const ranges = all.flatMap((text) => LOOPBACK_RANGE.exec(text)?.slice(1).join(' ') ?? [])
  const others = all.filter((text) => !LOOPBACK_RANGE.test(text) && !ranges.includes(loopbackPort(text)))
  const texts = [...others, ...new Set(ranges.map((text) => text.replace(' ', ' loopback ')))]
  const named = texts.slice(0, MAX_DESTINATIONS).map((text, index) => withoutProtocol(text, texts[index - 1]))
  const more = texts.length - named.length
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** Matches the destination text for all loopback addresses that no rule names, on one port. */
const LOOPBACK_RANGE = /^([A-Z]+) to addresses like (?:127\.[\d.]+), (port \d+)$/

/** Returns the port text of a loopback address, in the form that `LOOPBACK_RANGE` matches. Empty for other destinations. */
function loopbackPort(text: string): string {
  return /^([A-Z]+) 127\.[\d.]+:(\d+)$/.exec(text)?.slice(1).join(' port ') ?? ''
}

/** Returns the place in a list of destinations: TCP first. Within a protocol, loopback addresses are last. */
function rankOfDestination(text: string): number {
  return 2 * PROTOCOLS.indexOf(protocolOf(text)) + Number(isLoopback(text))
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
  const shown = named.slice(0, MAX_DESTINATIONS).join(' or ')
  return `${isEverywhere ? '' : `${arrivals.join(' or ')}, `}${shown}`
}
