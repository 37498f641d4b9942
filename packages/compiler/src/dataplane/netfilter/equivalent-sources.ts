/**
 * Sources of packets that are equal in all other fields and have followed the same path so far; the source of the
 * packet itself comes first.
 */
export interface EquivalentSources {
  readonly sources: readonly string[]
  /** An id: two lists of the same group have equal ids if and only if the lists are equal. */
  readonly id: number
  readonly ids: Map<string, number>
}

/** Creates a list of sources. Lists that split off from this one belong to its group. */
export function createEquivalentSources(
  sources: readonly string[],
  ids: Map<string, number> = new Map(),
): EquivalentSources {
  const text = sources.join(' ')
  const id = ids.get(text) ?? ids.size
  ids.set(text, id)
  return { sources, id, ids }
}
