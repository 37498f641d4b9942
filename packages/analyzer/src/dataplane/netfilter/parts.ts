/** A compiled state, taken apart by who asks for what. */
export interface StateParts {
  /** What packets for any address may meet, as plain data. */
  readonly shared: readonly unknown[]
  /** What only packets for some addresses may meet, in the order of the state. */
  readonly parts: readonly Part[]
}

/** What one owner asks for. Nobody else names what has its `names`. */
export interface Part {
  /** An opaque label. */
  readonly owner: string
  /** As plain data, made when it is asked for; what is said to people, under `comment`, means nothing. */
  readonly value: () => unknown
  /** What the value is made of, and no other part's: of one thing always the same. */
  readonly madeOf: object
  /** The addresses that packets are for which may meet it. */
  readonly places: readonly string[]
  /** Of its chains, sets and lists. */
  readonly names: readonly string[]
  /** How many of `shared` come before it. */
  readonly behind: number
}

/** Something that one owner asks for; `places` is undefined where packets for any address may meet it. */
export interface Asking {
  readonly owner: string
  readonly value: () => unknown
  readonly madeOf: object
  readonly places: readonly string[] | undefined
  readonly names: readonly string[]
}

/** The parts of what is asked for, in its order, behind what is there anyway. */
export function partsOfAsked(fixed: readonly unknown[], asked: Iterable<Asking>): StateParts {
  const shared = [...fixed]
  const parts: Part[] = []
  for (const { owner, value, madeOf, places, names } of asked) {
    if (places === undefined) shared.push(value())
    else parts.push({ owner, value, madeOf, places, names, behind: shared.length })
  }
  return { shared, parts }
}
