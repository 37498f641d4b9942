import type { ResourcePair } from '../patch/diff-resources.js'

export type DriftKind =
  | 'missing'
  | 'extra'
  | 'changed'
  /** It is there, but at another place, where the kernel may decide otherwise: also in another chain. */
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

export const NOTHING_FOUND: Comparison = { findings: [], pairs: [], unverified: [], others: [] }

export function joinComparisons(comparisons: readonly Comparison[]): Comparison {
  return {
    findings: comparisons.flatMap(({ findings }) => findings),
    pairs: comparisons.flatMap(({ pairs }) => pairs),
    unverified: comparisons.flatMap(({ unverified }) => unverified),
    others: comparisons.flatMap(({ others }) => others),
  }
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
  /**
   * Whether a thing that nobody wants is ours to remove; what is not is left alone. `value` is that of its resource, where
   * more than the id is known.
   */
  isOurs(id: string, value?: unknown): boolean
  /**
   * Whether a thing that nobody wants, and that is no drift, is ours all the same: what kube-proxy leaves for a while. Absent:
   * nothing is.
   */
  isLeftForAWhile?(id: string, value?: unknown): boolean
  /** Whether things have to stand in exactly the order wanted, also where another one makes no difference. Default: no. */
  readonly isExact?: boolean | undefined
  /** Whether the dump has all there is, so that what it lacks is not there. Default: nobody knows. */
  readonly isComplete?: boolean | undefined
  /** Whether others may have something in it beside us, which stays. Absent: nowhere. */
  isShared?(id: string): boolean
  /** Whether its name looks like one of ours, although it is not. Absent: never. */
  isStrange?(id: string): boolean
  /**
   * What a node holds, with the owners that can be told: the identical rules, in other blocks. Asked for only where
   * something is not as it should be. Absent: no state of the language tells owners.
   */
  attribute?(live: State): State
  /** What is the matter with an item, one line for people. */
  reasonOf(kind: DriftKind, items: DriftedItems<Item>): string
}

/** What should be there, absent where nothing should be, and what is, absent where nothing is. */
export interface DriftedItems<Item> {
  readonly wanted?: Item | undefined
  readonly found?: Item | undefined
}
