/**
 * Visits values until there is one of each class. Visiting may tell more values apart than were before, so that what has to
 * be visited is asked again until nothing is left.
 */
export function cover<T>(
  /** Values of which each class has one. */
  candidates: () => readonly T[],
  /** What two values of one class share, as told so far. */
  classOf: () => (value: T) => string,
  visit: (values: readonly T[]) => void,
): void {
  const visited: T[] = []
  for (;;) {
    const nameOf = classOf()
    const covered = new Set(visited.map(nameOf))
    const left = new Map<string, T>()
    for (const candidate of candidates()) {
      const name = nameOf(candidate)
      if (!covered.has(name) && !left.has(name)) left.set(name, candidate)
    }
    if (left.size === 0) return
    visited.push(...left.values())
    visit([...left.values()])
  }
}
