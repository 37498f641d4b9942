import { MISSING_CONTENT_CONDITION, type MissingContentCondition } from './missing-content.js'
import { type PathState, withAssumption } from './path-state.js'

/** The two ways to continue a packet at an incomplete chain, set or server. */
export interface MissingContentFork<T> {
  /** The reason why the packet may end here: `not all of chain nat/KUBE-SERVICES is in the dump`. */
  readonly reason: string
  /** Continues the path under the assumption that missing content has no effect. */
  continuePath(path: PathState): readonly T[]
  /** Ends the path with the given reason. */
  stop(path: PathState, reason: string): T
}

/**
 * Forks a path at an incomplete chain, set or server. One path assumes that the missing content has no effect; the
 * other path ends. A path that already has this assumption is not forked again.
 */
export function forkAtMissingContent<T>(
  path: PathState,
  { reason, continuePath, stop }: MissingContentFork<T>,
  question: MissingContentCondition = MISSING_CONTENT_CONDITION,
): readonly T[] {
  if (path.assumptions.some(({ condition }) => condition === question)) return continuePath(path)
  return [...continuePath(withAssumption(path, question, true)), stop(withAssumption(path, question, false), reason)]
}
