import {
  type Assumption,
  type PathState,
  withAssumption,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/** An assumption about a partial state that permits a trace at all: about missing tables. */
export const MISSING_TABLES_CONDITION = 'missing tables accept it'
/** An assumption about a partial state: about missing content of chains, sets and servers. */
export const MISSING_CONTENT_CONDITION = 'missing rules do not affect it'

export type MissingContentCondition = typeof MISSING_TABLES_CONDITION | typeof MISSING_CONTENT_CONDITION

/**
 * Returns the paths that do not depend on missing content, or assume that it has no effect; all paths if every path
 * depends on missing content.
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

/** The continuations of a packet at an incomplete part. */
export interface MissingContentFork<T> {
  /** The reason: `not all of chain nat/KUBE-SERVICES is in the dump`. */
  readonly reason: string
  /** Continues the path under the assumption that missing content has no effect. */
  continuePath(branch: PathState): readonly T[]
  /** Ends the path with that reason. */
  stop(branch: PathState, reason: string): T
}

/**
 * Forks a path at an incomplete part: one path assumes that missing content has no effect, the other ends. Later
 * incomplete parts on a path with the assumption do not fork it again.
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
