/** `flatMap` for long lists of which most give nothing: several times as fast. */
export function collect<Item, T>(items: readonly Item[], listOf: (item: Item) => readonly T[]): readonly T[] {
  const found: T[] = []
  for (const item of items) {
    const list = listOf(item)
    for (let index = 0; index < list.length; index++) found.push(list[index] as T)
  }
  return found
}
