import { isLoopback } from '@kube-rules/types'
import { addReach, LOCAL, type Ports, type Reach, type ReachOf, remembered, sharePorts } from './reach.js'

/**
 * What a compiled state has, by the addresses that packets are for. Those of the node stand beside `LOCAL` where that is meant:
 * rules do not say which they are. `sets` says which packets are looked up in sets that other languages ask for.
 */
export interface ByAddress<State> {
  /**
   * The packets that may meet what two states differ in, the second compiled from the first; undefined where that cannot be
   * told.
   */
  changed(before: State, after: State, sets: ReachOf): Reach | undefined
  /** Those that may be sent on to one of these; undefined where that cannot be told. */
  sendingTo(state: State, packets: Reach, sets: ReachOf): Reach | undefined
  /** Where these are sent on to. */
  sentFrom(state: State, packets: Reach, sets: ReachOf): readonly string[]
  /** What of the state these may meet, in its order. */
  partAt(state: State, packets: Reach, sets: ReachOf): State
  /** The packets that its rules look up in a set of another language. Absent: it does not ask for any. */
  askingSets?(state: State): ReachOf
}

/** Something of a state, and which packets come to it. */
export interface Placed<T> {
  readonly thing: T
  /** The addresses that packets are for which come to it. */
  readonly places: readonly string[]
  /** Where it stands for packets that are told by no address of its own. */
  readonly within: readonly Within[]
  /** Whether packets for any address may come to it. */
  readonly isAnywhere: boolean
}

/** A chain or set of all, or `LOCAL`, and where it is told the port: others do not come to it. */
export interface Within {
  readonly name: string
  readonly port?: string | undefined
}

/** Where something sends packets: asked when it is wanted, because all of them together are very many. */
export type EndpointsOf<T> = (thing: T) => readonly string[]

/** At which ports of one of its places packets come to something. */
export type PortsAt<T> = (thing: T, place: string) => Ports

/** Some things that follow one another. */
export interface PlacedIndex<T> {
  readonly all: readonly Placed<T>[]
  readonly byPlace: ReadonlyMap<string, readonly Placed<T>[]>
  readonly byEndpoint: ReadonlyMap<string, readonly Placed<T>[]>
  readonly byName: ReadonlyMap<string, readonly Placed<T>[]>
  readonly anywhere: readonly Placed<T>[]
}

/** What is at a loopback address, which every node has, is at `LOCAL`, too. */
export function indexPlaced<T>(all: readonly Placed<T>[], endpointsOf: EndpointsOf<T>): PlacedIndex<T> {
  const byPlace = new Map<string, Placed<T>[]>()
  const byEndpoint = new Map<string, Placed<T>[]>()
  const byName = new Map<string, Placed<T>[]>()
  for (const each of all) {
    for (const place of each.places) addAt(byPlace, place, each)
    for (const endpoint of endpointsOf(each.thing)) addAt(byEndpoint, endpoint, each)
    for (const { name } of each.within) add(byName, name, each)
  }
  return { all, byPlace, byEndpoint, byName, anywhere: all.filter(({ isAnywhere }) => isAnywhere) }
}

function addAt<T>(map: Map<string, T[]>, address: string, value: T): void {
  add(map, address, value)
  if (isLoopback(address)) add(map, LOCAL, value)
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

/** How the places of things are to be read. */
export interface PlaceReading<T> {
  readonly reachOf: ReachOf
  readonly portsAt: PortsAt<T>
}

/** Undefined where packets for any address may come to one of them. */
export function reachOfAll<T>(all: readonly Placed<T>[], { reachOf, portsAt }: PlaceReading<T>): Reach | undefined {
  const reach = new Map<string, Ports>()
  for (const { thing, places, within, isAnywhere } of all) {
    if (isAnywhere) return undefined
    for (const place of places) addReach(reach, place, portsAt(thing, place))
    for (const { name, port } of within) {
      const around = reachOf(name)
      if (around === undefined) return undefined
      const own = port === undefined ? undefined : new Set([port])
      for (const [address, ports] of around) addReach(reach, address, own ?? ports)
    }
  }
  return reach
}

/** `sendingTo` of what is in these. */
export function reachSendingTo<T>(
  indexes: readonly PlacedIndex<T>[],
  packets: Reach,
  reading: PlaceReading<T>,
): Reach | undefined {
  const found = indexes.flatMap(({ byEndpoint }) =>
    Array.from(packets.keys()).flatMap((to) => byEndpoint.get(to) ?? []),
  )
  return reachOfAll(found, reading)
}

/** What these packets may meet, in its order. */
export function placedAt<T>(
  indexes: readonly PlacedIndex<T>[],
  packets: Reach,
  { reachOf, portsAt }: PlaceReading<T>,
): readonly Placed<T>[] {
  const portsAround = remembered((name: string) => portsMet(packets, reachOf(name)))
  return indexes.flatMap(({ all, byPlace, byName, anywhere }) => {
    const found = new Set(anywhere)
    for (const [address, ports] of packets)
      for (const each of byPlace.get(address) ?? [])
        if (address === LOCAL || sharePorts(ports, portsAt(each.thing, address))) found.add(each)
    for (const [name, placed] of byName)
      for (const ports of portsAround(name)) for (const each of placed) if (isWithin(each, name, ports)) found.add(each)
    return found.size === 0 ? [] : all.filter((each) => found.has(each))
  })
}

/** The ports of these at the addresses that lead to something. */
function portsMet(packets: Reach, around: Reach | undefined): readonly Ports[] {
  if (around === undefined) return ['all']
  const addresses = Array.from(around.keys()).flatMap((address) => (isLoopback(address) ? [address, LOCAL] : address))
  return addresses.flatMap((address) => packets.get(address) ?? [])
}

function isWithin<T>({ within }: Placed<T>, wanted: string, ports: Ports): boolean {
  return within.some(({ name, port }) => name === wanted && (port === undefined || ports === 'all' || ports.has(port)))
}

/** `sentFrom` of what is in these. */
export function endpointsOfAll<T>(all: readonly Placed<T>[], endpointsOf: EndpointsOf<T>): readonly string[] {
  return all.flatMap(({ thing }) => endpointsOf(thing))
}
