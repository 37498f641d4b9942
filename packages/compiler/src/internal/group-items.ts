/** Groups items by key. Groups are in the order of their first items. */
export function groupItems<Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) addToGroup(groups, keyOf(item), item)
  return groups
}

/** Adds an item to the group with this key. */
export function addToGroup<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const existing = groups.get(key)
  if (existing === undefined) groups.set(key, [item])
  else existing.push(item)
}
