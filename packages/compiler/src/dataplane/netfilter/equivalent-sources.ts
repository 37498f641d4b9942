/**
 * The sources of packets that are equal in all other fields and have followed the same path so far. The source of the
 * packet itself comes first.
 */
export interface EquivalentSources {
  readonly sources: readonly string[]
  /** The id of the list of sources. Within a group, two lists have the same id if and only if the lists are equal. */
  readonly id: number
  readonly ids: Map<string, number>
}

/** Creates a list of sources. Lists that split off from this list belong to the same group. */
export function createEquivalentSources(
  sources: readonly string[],
  ids: Map<string, number> = new Map(),
): EquivalentSources {
  const text = sources.join(' ')
  const id = ids.get(text) ?? ids.size
  ids.set(text, id)
  return { sources, id, ids }
}
