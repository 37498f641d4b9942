import {
  type Assumption,
  type PathState,
  withAssumption,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'

/** An assumption about a partial state that permits a trace at all: about missing tables. */
export const OTHER_TABLES = 'missing tables accept it'
/** An assumption about a partial state: about missing content of chains, sets and servers. */
export const OTHER_RULES = 'missing rules do not affect it'

export type MissingCondition = typeof OTHER_TABLES | typeof OTHER_RULES

/**
 * Returns the paths that do not depend on missing content, or assume that it has no effect; all paths if there are
 * none.
 */
export function preferKnownPaths<W extends { readonly assumptions: readonly Assumption[] }>(
  paths: readonly W[],
): readonly W[] {
  const given = paths.filter(
    ({ assumptions }) => !assumptions.some(({ condition, value }) => isAboutMissing(condition) && !value),
  )
  return given.length === 0 ? paths : given
}

/** Reports whether some of the paths depend on missing content of chains, sets and servers. */
export function dependsOnOtherRules(paths: readonly { readonly assumptions: readonly Assumption[] }[]): boolean {
  return paths.some(({ assumptions }) => assumptions.some(({ condition }) => condition === OTHER_RULES))
}

/** Reports whether a condition is about missing content. */
export function isAboutMissing(what: string): boolean {
  return what === OTHER_TABLES || what === OTHER_RULES
}

/** The continuations of a packet at an incomplete part. */
export interface SkippedContent<T> {
  /** The reason: `not all of chain nat/KUBE-SERVICES is in the dump`. */
  readonly reason: string
  /** Continues the path under the assumption that missing content has no effect. */
  continuePath(branch: PathState): readonly T[]
  /** Ends the path with that reason. */
  stop(branch: PathState, reason: string): T
}

/**
 * Forks a path at an incomplete part, once per path. An assumption is reused later on the same path, and the path
 * without it ends.
 */
export function forkAtMissing<T>(
  branch: PathState,
  { reason, continuePath, stop }: SkippedContent<T>,
  question: MissingCondition = OTHER_RULES,
): readonly T[] {
  if (branch.assumptions.some(({ condition }) => condition === question)) return continuePath(branch)
  return [
    ...continuePath(withAssumption(branch, question, true)),
    stop(withAssumption(branch, question, false), reason),
  ]
}
