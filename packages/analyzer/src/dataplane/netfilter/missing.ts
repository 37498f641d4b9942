import { type Assumption, type PathState, withAssumption } from './path-state.js'

/** An assumption about the missing tables of a partial state. Without this assumption, a packet cannot be traced. */
export const MISSING_TABLES_CONDITION = 'missing tables accept it'
/** An assumption about the missing content of chains, sets and servers in a partial state. */
export const MISSING_CONTENT_CONDITION = 'missing rules do not affect it'

export type MissingContentCondition = typeof MISSING_TABLES_CONDITION | typeof MISSING_CONTENT_CONDITION

/**
 * Returns the paths that either do not depend on missing content or assume that missing content has no effect. Returns
 * all paths if there are no such paths.
 */
export function preferKnownPaths<W extends { readonly assumptions: readonly Assumption[] }>(
  paths: readonly W[],
): readonly W[] {
  const pathsWithoutGaps = paths.filter(
    ({ assumptions }) => !assumptions.some(({ condition, value }) => isAboutMissingContent(condition) && !value),
  )
  return pathsWithoutGaps.length === 0 ? paths : pathsWithoutGaps
}

/** Reports whether some of the paths depend on missing content of chains, sets and servers. */
export function dependsOnMissingRules(paths: readonly { readonly assumptions: readonly Assumption[] }[]): boolean {
  return paths.some(({ assumptions }) => assumptions.some(({ condition }) => condition === MISSING_CONTENT_CONDITION))
}

/** Reports whether a condition is about missing content. */
export function isAboutMissingContent(what: string): boolean {
  return what === MISSING_TABLES_CONDITION || what === MISSING_CONTENT_CONDITION
}

/** The two ways to continue a packet at an incomplete chain, set or server. */
export interface MissingContentFork<T> {
  /** The reason why the packet may end here: `not all of chain nat/KUBE-SERVICES is in the dump`. */
  readonly reason: string
  /** Continues the path under the assumption that missing content has no effect. */
  continuePath(branch: PathState): readonly T[]
  /** Ends the path with the given reason. */
  stop(branch: PathState, reason: string): T
}

/**
 * Forks a path at an incomplete chain, set or server. One path assumes that the missing content has no effect; the
 * other path ends. A path that already has this assumption is not forked again.
 */
export function forkAtMissingContent<T>(
  branch: PathState,
  { reason, continuePath, stop }: MissingContentFork<T>,
  question: MissingContentCondition = MISSING_CONTENT_CONDITION,
): readonly T[] {
  if (branch.assumptions.some(({ condition }) => condition === question)) return continuePath(branch)
  return [
    ...continuePath(withAssumption(branch, question, true)),
    stop(withAssumption(branch, question, false), reason),
  ]
}
