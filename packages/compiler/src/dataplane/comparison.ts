import type { ResourcePair } from '../patch/diff-resources.js'

export type DriftKind =
  | 'missing'
  | 'extra'
  | 'changed'
  /** The rule exists, but in another chain, or at a position where the kernel may evaluate it differently. */
  | 'misplaced'

/** The reasons of drift by its kind, for items without an order, which cannot be misplaced. */
export type DriftReasons = Readonly<Record<Exclude<DriftKind, 'misplaced'>, string>>

/** One drift item. */
export interface DriftItem {
  /** The owner, a label of the state; empty if unknown. */
  readonly owner: string
  /** The id of a resource: `nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80`. */
  readonly location: string
  readonly kind: DriftKind
  /** The expected lines, as the tools print them; absent if none are expected. */
  readonly expected?: string | undefined
  /** The actual lines; absent if the node has none. */
  readonly found?: string | undefined
  /** One line of readable text. */
  readonly reason: string
}

/** The result of comparing the expected with the actual state of a node. */
export interface StateComparison {
  readonly driftItems: readonly DriftItem[]
  /** The actual and expected resources that differ. */
  readonly pairs: readonly ResourcePair[]
  /** Parts that are missing in the dump (`nat`), each with an explanation. */
  readonly unverified: readonly UnverifiedPart[]
  /** The ids of ignored resources that have a name like a resource of kube-proxy. */
  readonly others: readonly string[]
}

export const EMPTY_COMPARISON: StateComparison = { driftItems: [], pairs: [], unverified: [], others: [] }

export function joinComparisons(comparisons: readonly StateComparison[]): StateComparison {
  return {
    driftItems: comparisons.flatMap(({ driftItems }) => driftItems),
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
 * The ownership and purpose of resources, as determined by the caller, not by the subsystem. `Item` is the subject of a
 * drift item in terms of the subsystem.
 */
export interface ResourceOwnership<State, Item> {
  /**
   * Reports whether kube-proxy owns an unexpected resource, so that an update removes it; other resources are ignored.
   * `value` is the value of the resource, absent if only the id is known.
   */
  isOwned(id: string, value?: unknown): boolean
  /**
   * Reports whether kube-proxy keeps an unexpected resource temporarily, so that it is not drift. Absent if it keeps
   * none.
   */
  isTemporarilyKept?(id: string, value?: unknown): boolean
  /** Whether items must have exactly the expected order, even if another order is equivalent. Default: no. */
  readonly isExact?: boolean | undefined
  /** Whether the dump is complete, so that missing items do not exist. Default: unknown. */
  readonly isComplete?: boolean | undefined
  /**
   * Reports whether other programs may share the container, so that their contents are preserved. Absent if none is
   * shared.
   */
  isShared?(id: string): boolean
  /** Reports whether the name of a foreign resource looks like a name of kube-proxy. Absent if none does. */
  isLookalike?(id: string): boolean
  /**
   * Annotates the actual state with owners, by moving its rules to blocks of their owners. Called only if there is
   * drift. Absent if states of the subsystem have no owners.
   */
  attribute?(live: State): State
  /** Returns the reason of a drift item, as one readable line. */
  reasonOf(kind: DriftKind, items: DriftedItems<Item>): string
}

/** The expected and the actual item; one of them may be absent. */
export interface DriftedItems<Item> {
  readonly expected?: Item | undefined
  readonly found?: Item | undefined
}

/** Returns the expected item; the actual one if no item is expected. */
export function preferExpectedItem<Item>({ expected, found }: DriftedItems<Item>): Item {
  return (expected ?? found) as Item
}
