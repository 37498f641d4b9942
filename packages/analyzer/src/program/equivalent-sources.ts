/**
 * The sources of several packets that are traced as one packet. The packets differ only in their source and have
 * followed the same path so far. The source of the traced packet comes first.
 */
export interface EquivalentSources {
  readonly sources: readonly string[]
  /** The id of `sources`. Two lists with the same `ids` map have the same id if and only if their sources are equal. */
  readonly id: number
  readonly ids: Map<string, number>
}

/** Creates a list of sources. A list that splits off from another list must be created with the `ids` of that list. */
export function createEquivalentSources(
  sources: readonly string[],
  ids: Map<string, number> = new Map(),
): EquivalentSources {
  const text = sources.join(' ')
  const id = ids.get(text) ?? ids.size
  ids.set(text, id)
  return { sources, id, ids }
}
