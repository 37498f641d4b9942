import { EMPTY_MAP, getValue, type LayeredMap, withValues } from './layered-map.js'

/** An item with a key. */
export interface KeyedItem {
  readonly key: string
}

/**
 * An immutable map with one or several items per key. Most keys have one item. `replaceKeyedItems` returns a modified
 * map.
 */
export interface ItemsByKey<Item extends KeyedItem> {
  /** The items of keys with only one item. */
  readonly single: LayeredMap<Item>
  /** The lists of items, for the few keys with more than one. */
  readonly several: ReadonlyMap<string, readonly Item[]>
}

export const NO_ITEMS: ItemsByKey<never> = { single: EMPTY_MAP, several: new Map<string, never>() }

export function findItems<Item extends KeyedItem>({ single, several }: ItemsByKey<Item>, key: string): readonly Item[] {
  const item = getValue(single, key)
  return item === undefined ? (several.get(key) ?? []) : [item]
}

/**
 * Returns the map without the `removed` items and with the `added` items. Removed items are compared by identity. An
 * added item comes last among the items with the same key.
 */
export function replaceKeyedItems<Item extends KeyedItem>(
  items: ItemsByKey<Item>,
  removed: readonly Item[],
  added: readonly Item[],
): ItemsByKey<Item> {
  const first = items === NO_ITEMS ? firstItems(added) : undefined
  if (first !== undefined) return first
  const single = new Map<string, Item | undefined>()
  /** The new items of keys that have, or had, several items. */
  const lists = new Map<string, Set<Item>>()
  const listAt = (key: string): Set<Item> | undefined => {
    if (lists.size === 0 && items.several.size === 0) return undefined
    const existing = lists.get(key)
    const list = items.several.get(key)
    if (existing !== undefined || list === undefined) return existing
    const copy = new Set(list)
    lists.set(key, copy)
    return copy
  }
  for (const item of removed) {
    const list = listAt(item.key)
    if (list === undefined) single.set(item.key, undefined)
    else list.delete(item)
  }
  for (const item of added) {
    const { key } = item
    const list = listAt(key)
    if (list !== undefined) {
      list.add(item)
      continue
    }
    const other = single.get(key) ?? (single.has(key) ? undefined : getValue(items.single, key))
    if (other === undefined) single.set(key, item)
    else lists.set(key, new Set([other, item]))
  }
  for (const [key, list] of lists) single.set(key, list.size === 1 ? [...list][0] : undefined)
  return {
    single: single.size === 0 ? items.single : withValues(items.single, single),
    several: lists.size === 0 ? items.several : withLists(items.several, lists),
  }
}

/** Returns a new map with the `added` items. Returns undefined if two of them have the same key. */
function firstItems<Item extends KeyedItem>(added: readonly Item[]): ItemsByKey<Item> | undefined {
  const single = new Map<string, Item>()
  for (const item of added) single.set(item.key, item)
  return single.size < added.length ? undefined : { ...NO_ITEMS, single: { ...EMPTY_MAP, base: single } }
}

function withLists<Item>(
  several: ReadonlyMap<string, readonly Item[]>,
  changes: ReadonlyMap<string, ReadonlySet<Item>>,
): ReadonlyMap<string, readonly Item[]> {
  const all = new Map(several)
  for (const [key, list] of changes) {
    if (list.size > 1) all.set(key, [...list])
    else all.delete(key)
  }
  return all
}
