/** A function that computes its value when first asked, and keeps it, but not what it was computed from. */
export function lazily<T extends object>(compute: () => T): () => T {
  let waiting: (() => T) | undefined = compute
  let value: T | undefined
  return () => {
    value ??= waiting?.()
    waiting = undefined
    return value as T
  }
}
