import type { Assumption } from './assumptions.js'

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

/** Reports whether some of the paths depend on missing tables. */
export function dependsOnMissingTables(paths: readonly { readonly assumptions: readonly Assumption[] }[]): boolean {
  return paths.some(({ assumptions }) => assumptions.some(({ condition }) => condition === MISSING_TABLES_CONDITION))
}

/** Reports whether a condition is about missing content. */
export function isAboutMissingContent(what: string): boolean {
  return what === MISSING_TABLES_CONDITION || what === MISSING_CONTENT_CONDITION
}
