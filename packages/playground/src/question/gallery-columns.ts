/** The values of each field: the number of its example before each value. */
export type GalleryColumns = Readonly<Record<string, readonly (readonly [example: number, value: unknown])[]>>

/**
 * Returns the values of examples by field, ordered by length. Similar texts are neighbors, so that the page is smaller
 * after gzip. `fromColumns` is the inverse.
 */
export function toColumns(examples: readonly object[]): GalleryColumns {
  const columns: Record<string, [number, unknown][]> = {}
  for (const [index, example] of examples.entries()) {
    for (const [field, value] of Object.entries(example)) {
      columns[field] ??= []
      columns[field].push([index, value])
    }
  }
  for (const column of Object.values(columns)) column.sort(([, a], [, b]) => String(a).length - String(b).length)
  return columns
}

/** Restores the examples from columns: the values of each field, by the index of the example. */
export function fromColumns(columns: GalleryColumns): readonly Readonly<Record<string, unknown>>[] {
  const examples: Record<string, unknown>[] = []
  for (const [field, column] of Object.entries(columns)) {
    for (const [index, value] of column) {
      examples[index] ??= {}
      examples[index][field] = value
    }
  }
  return examples
}
