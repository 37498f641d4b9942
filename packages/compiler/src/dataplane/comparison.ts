import type { ResourcePair } from '../diff/diff.js'

export type DriftKind =
  | 'missing'
  | 'extra'
  | 'changed'
  /** Everything is there, but in an order in which the kernel may decide otherwise. */
  | 'misplaced'

/** Something that is not as it should be. */
export interface Finding {
  /** Whose it is, a label of the state; empty for what is of nobody that is known. */
  readonly owner: string
  /** The id of a resource: `nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80`. */
  readonly place: string
  readonly kind: DriftKind
  /** What should be there, in lines as the tools print them; absent where nothing should be. */
  readonly wanted?: string | undefined
  /** What is there; absent where nothing is. */
  readonly found?: string | undefined
  /** One line for people. */
  readonly reason: string
}

/** What a comparison of what is wanted with what a node holds comes to. */
export interface Comparison {
  readonly findings: readonly Finding[]
  /** What is there, and what is to be there: only where the two differ. */
  readonly pairs: readonly ResourcePair[]
  /** Parts that the dump says nothing of (`nat`), each with a line for people. */
  readonly unverified: readonly UnverifiedPart[]
  /** The ids of what is left alone, although its name looks like one of ours. */
  readonly others: readonly string[]
}

export interface UnverifiedPart {
  readonly part: string
  readonly reason: string
}

/**
 * Whose things are and what they are there for: what a language does not know and whoever uses it does. `Item` is what a
 * finding is about, in the terms of the language.
 */
export interface Custody<State, Item> {
  /** Whether a thing that nobody wants is ours to remove; what is not is left alone. */
  isOurs(id: string): boolean
  /** Whether others may have something in it beside us, which stays. */
  isShared(id: string): boolean
  /** Whether its name looks like one of ours, although it is not and nobody is known who makes it. */
  isStrange(id: string): boolean
  /** What a node holds, with the owners that can be told. Asked for only where something is not as it should be. */
  attribute(live: State): State
  /** What is the matter with an item, one line for people. */
  reasonOf(kind: DriftKind, items: DriftedItems<Item>): string
}

export interface DriftedItems<Item> {
  readonly wanted?: Item | undefined
  readonly found?: Item | undefined
}
