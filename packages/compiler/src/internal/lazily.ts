/** A function that computes its value when first asked, and keeps it. */
export function lazily<T extends object>(compute: () => T): () => T {
  let value: T | undefined
  return () => {
    value ??= compute()
    return value
  }
}
