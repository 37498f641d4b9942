/** The elements of a set or map, indexed by key. */
export interface Elements {
  /** The name in messages and in session-affinity lists. */
  readonly name: string
  /** Elements with an individual value in each component of the key, by these values: `10.96.0.10 . tcp . 80`. */
  readonly exact: ReadonlyMap<string, Element>
  /** All other elements, in order: prefixes and ranges. */
  readonly ranges: readonly RangeElement[]
  /** Whether some elements cannot be read, so that a packet without an element may have one. */
  readonly isPartlyUnknown: boolean
  /** The timeout of clients that rules add, in seconds; undefined if rules add none. */
  readonly clientSeconds?: number | undefined
}

/** An element. `value` is what the subsystem knows of it, such as a verdict. */
export interface Element {
  readonly key: string
  readonly value?: unknown
  /** Whether packets with this element count as packets without one. */
  readonly isException?: boolean | undefined
}

/** An element with ranges as components. */
export interface RangeElement extends Element {
  readonly components: readonly Component[]
}

/** The values of one field in a key: a single value or a range. */
export type Component =
  /** A text that is the value, such as a protocol. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'numbers'; readonly first: bigint; readonly last: bigint; readonly text: string }
  /** An interface name with a trailing `+` as a wildcard. */
  | { readonly kind: 'interface'; readonly text: string }
  /** Cannot be compared. */
  | { readonly kind: 'unknown'; readonly text: string }

/** Joins the components of a key. */
export function joinKey(components: readonly string[]): string {
  return components.join(SEPARATOR)
}

/** Splits a key into its components. */
export function splitKey(key: string): readonly string[] {
  return key.split(SEPARATOR)
}

const SEPARATOR = ' . '
