/** Sources of packets that are otherwise alike and have gone the same way so far; the packet's own comes first. */
export interface Alike {
  readonly sources: readonly string[]
  /** Two lists of one family of lists have the same number if and only if they are the same. */
  readonly id: number
  readonly ids: Map<string, number>
}

/** Lists that are made of this one by parting it are of its family. */
export function alikeSources(sources: readonly string[], ids: Map<string, number> = new Map()): Alike {
  const text = sources.join(' ')
  const id = ids.get(text) ?? ids.size
  ids.set(text, id)
  return { sources, id, ids }
}
