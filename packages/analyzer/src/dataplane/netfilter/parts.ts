/** A compiled state, split by owner. */
export interface StatePartition {
  /** Plain data that packets to any address may match. */
  readonly shared: readonly unknown[]
  /** The content that only packets to some addresses may match, one item per owner, in the order of the state. */
  readonly parts: readonly OwnerSlice[]
}

/** A part of a state, mostly the content of one owner. No other part refers to its `names`. */
export interface OwnerSlice {
  /** The labels of the owners. In parts with the same content, the owners are in the same order. */
  readonly owners: readonly string[]
  /** Returns the content as plain data. Comparisons ignore text under `comment`. */
  readonly value: () => unknown
  /** An object that identifies the content: distinct for each part, and the same for an unchanged part. */
  readonly source: object
  /** The destination addresses of packets that may match the part. */
  readonly destinations: readonly string[]
  /** Packets to any address may match the part if they have one of these destination ports. */
  readonly ports: readonly number[]
  /** Names of its chains, sets and lists. */
  readonly names: readonly string[]
  /** The number of items of `shared` that precede the part in the state. */
  readonly following: number
}

/**
 * The content of one owner. `destinations` is undefined if packets to any address may match the content. Packets to
 * `ports` may match it regardless of their address.
 */
export interface OwnedContent {
  readonly owners: readonly string[]
  readonly value: () => unknown
  readonly source: object
  readonly destinations: readonly string[] | undefined
  readonly ports?: readonly number[] | undefined
  readonly names: readonly string[]
}

/** Reports whether a port may select a part of a state. */
export type PortFilter = (port: number) => boolean

/**
 * Converts owner contents to state parts, in order. Contents without `destinations` become shared content, and so do
 * contents with a port that `mayBeOfPart` does not accept. By default, it accepts none.
 */
export function createStatePartition(
  staticContent: readonly unknown[],
  contents: Iterable<OwnedContent>,
  mayBeOfPart: PortFilter = () => false,
): StatePartition {
  const shared = [...staticContent]
  const parts: OwnerSlice[] = []
  for (const { owners, value, source, destinations, ports = [], names } of contents) {
    if (destinations === undefined || !ports.every(mayBeOfPart)) shared.push(value())
    else parts.push({ owners, value, source, destinations, ports, names, following: shared.length })
  }
  return { shared, parts }
}
