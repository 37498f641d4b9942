import type { ResourcePair } from '../patch/diff-resources.js'
import type { DriftPart } from './drift-part.js'

export type DriftKind =
  | 'missing'
  | 'extra'
  | 'changed'
  /** The rule exists, but in another chain, or at a position where the kernel may evaluate it differently. */
  | 'misplaced'

/**
 * The reasons of drift by kind, for resources without an order. Such resources cannot be misplaced, so this kind has no
 * reason.
 */
export type DriftReasons = Readonly<Record<Exclude<DriftKind, 'misplaced'>, string>>

/** One drift item. */
export interface DriftItem {
  /** The owner of the resource, as it is labeled in the state; empty if unknown. */
  readonly owner: string
  /** The id of a resource, such as `nat/KUBE-SERVICES` or `ipset KUBE-CLUSTER-IP 10.96.0.1,tcp:80`. */
  readonly location: string
  readonly part: DriftPart
  readonly kind: DriftKind
  /** The expected lines, as the tools print them; absent if no lines are expected. */
  readonly expected?: string | undefined
  /** The actual lines, as the tools print them; absent if the node has no such lines. */
  readonly found?: string | undefined
  /** The reason of the drift in one readable line. */
  readonly reason: string
}

/** The result of comparing the expected with the actual state of a node. */
export interface StateComparison {
  readonly driftItems: readonly DriftItem[]
  /** The pairs of an actual and an expected resource that differ. */
  readonly pairs: readonly ResourcePair[]
  /** The parts that are missing in the dump (such as `nat`), each with an explanation. */
  readonly unverified: readonly UnverifiedPart[]
  /** The ids of ignored resources with names that look like names of kube-proxy resources. */
  readonly others: readonly string[]
}

export const EMPTY_COMPARISON: StateComparison = { driftItems: [], pairs: [], unverified: [], others: [] }

export function mergeComparisons(comparisons: readonly StateComparison[]): StateComparison {
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
 * The ownership and purpose of resources. The caller determines both, not the subsystem. `Item` is the type of the
 * resource that a drift item of the subsystem is about.
 */
export interface ResourceOwnership<State, Item> {
  /**
   * Reports whether kube-proxy owns an unexpected resource. An update removes the resources that kube-proxy owns; other
   * resources are ignored. `value` is the value of the resource; absent if only the id is known.
   */
  isOwned(id: string, value?: unknown): boolean
  /**
   * Reports whether kube-proxy keeps an unexpected resource temporarily; then the resource is not drift. Absent if
   * kube-proxy keeps no resources temporarily.
   */
  isTemporarilyKept?(id: string, value?: unknown): boolean
  /**
   * Whether resources such as rules must have exactly the expected order, even if another order is equivalent. Default:
   * false.
   */
  readonly isExact?: boolean | undefined
  /**
   * Whether the dump is complete; then items that the dump does not contain do not exist. If absent, the completeness
   * is unknown.
   */
  readonly isComplete?: boolean | undefined
  /**
   * Reports whether other programs may share the container; then the contents of these programs are preserved. Absent
   * if no container is shared.
   */
  isShared?(id: string): boolean
  /** Reports whether the name of a foreign resource looks like a kube-proxy name. Absent if no foreign name does. */
  isLookalike?(id: string): boolean
  /**
   * Annotates the actual state with owners: moves each rule to the block of its owner. Called only if there is drift.
   * Absent if states of the subsystem have no owners.
   */
  attribute?(actual: State): State
  /** Returns the reason of a drift item, as one readable line. */
  reasonOf(kind: DriftKind, items: DriftedItems<Item>): string
}

/** The expected and the actual rule or resource of a drift item. One of the two may be absent. */
export interface DriftedItems<Item> {
  readonly expected?: Item | undefined
  readonly found?: Item | undefined
}

/** Returns the expected rule or resource of a drift item. If none is expected, returns the actual one. */
export function preferExpectedItem<Item>({ expected, found }: DriftedItems<Item>): Item {
  return (expected ?? found) as Item
}
