import { appendAll } from '@kube-rules/compiler/internal/internal/append-all'

/**
 * Visits values until each class has a visited member. A visit may split classes, so candidates are recomputed until
 * every class is covered.
 */
export function visitEachClass<T>(
  /** Returns values with at least one member of each class. */
  candidates: () => readonly T[],
  /** Returns a function from a value to its class, according to the distinctions so far. */
  classOf: () => (value: T) => string,
  visit: (values: readonly T[]) => void,
): void {
  const visited: T[] = []
  for (;;) {
    const nameOf = classOf()
    const covered = new Set(visited.map(nameOf))
    const pending = new Map<string, T>()
    for (const candidate of candidates()) {
      const name = nameOf(candidate)
      if (!covered.has(name) && !pending.has(name)) pending.set(name, candidate)
    }
    if (pending.size === 0) return
    const added = [...pending.values()]
    appendAll(visited, added)
    visit(added)
  }
}
