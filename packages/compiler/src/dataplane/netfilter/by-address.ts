/** What a compiled state has, by the addresses that packets are for. */
export interface ByAddress<State> {
  /**
   * The addresses that packets are for which may meet what two states differ in, the second compiled from the first; undefined
   * where that cannot be told.
   */
  changed(before: State, after: State): readonly string[] | undefined
  /** Those that packets are for which may be sent on to one of these; undefined where that cannot be told. */
  sendingTo(state: State, addresses: readonly string[]): readonly string[] | undefined
  /** Where packets for these are sent on to. */
  sentFrom(state: State, addresses: ReadonlySet<string>): readonly string[]
  /** What of the state packets for these may meet, in its order. */
  partAt(state: State, addresses: ReadonlySet<string>): State
}

/** Something of a state, and the addresses that packets are for which come to it. */
export interface Placed<T> {
  readonly thing: T
  readonly places: readonly string[]
  /** Whether packets for others may come to it, too. */
  readonly isAnywhere: boolean
}

/** Where something sends packets: asked when it is wanted, because all of them together are very many. */
export type EndpointsOf<T> = (thing: T) => readonly string[]

/** Some things that follow one another. */
export interface PlacedIndex<T> {
  readonly all: readonly Placed<T>[]
  readonly byPlace: ReadonlyMap<string, readonly Placed<T>[]>
  readonly byEndpoint: ReadonlyMap<string, readonly Placed<T>[]>
  readonly anywhere: readonly Placed<T>[]
}

export function indexPlaced<T>(all: readonly Placed<T>[], endpointsOf: EndpointsOf<T>): PlacedIndex<T> {
  const byPlace = new Map<string, Placed<T>[]>()
  const byEndpoint = new Map<string, Placed<T>[]>()
  for (const each of all) {
    for (const place of each.places) add(byPlace, place, each)
    for (const endpoint of endpointsOf(each.thing)) add(byEndpoint, endpoint, each)
  }
  return { all, byPlace, byEndpoint, anywhere: all.filter(({ isAnywhere }) => isAnywhere) }
}

function add<T>(map: Map<string, T[]>, key: string, value: T): void {
  const known = map.get(key)
  if (known === undefined) map.set(key, [value])
  else known.push(value)
}

/** Undefined where packets for any address may come to one of them. */
export function placesOfAll<T>(all: readonly Placed<T>[]): readonly string[] | undefined {
  return all.some(({ isAnywhere }) => isAnywhere) ? undefined : all.flatMap(({ places }) => places)
}

/** `sendingTo` of what is in these. */
export function placesSendingTo<T>(
  indexes: readonly PlacedIndex<T>[],
  addresses: readonly string[],
): readonly string[] | undefined {
  return placesOfAll(indexes.flatMap(({ byEndpoint }) => addresses.flatMap((each) => byEndpoint.get(each) ?? [])))
}

/** What packets for these addresses may meet, in its order. */
export function placedAt<T>(indexes: readonly PlacedIndex<T>[], addresses: ReadonlySet<string>): readonly Placed<T>[] {
  return indexes.flatMap(({ all, byPlace, anywhere }) => {
    const found = new Set(anywhere)
    for (const address of addresses) for (const each of byPlace.get(address) ?? []) found.add(each)
    return found.size === 0 ? [] : all.filter((each) => found.has(each))
  })
}

/** `sentFrom` of what is in these. */
export function endpointsOfAll<T>(all: readonly Placed<T>[], endpointsOf: EndpointsOf<T>): readonly string[] {
  return all.flatMap(({ thing }) => endpointsOf(thing))
}
