import { EMPTY_MAP, type LayeredMap, valueAt, withValues } from './layered-map.js'

/** Items by key, of which most keys have one. It is never changed: `exchangeItems` gives another. */
export interface ItemsByKey<Item> {
  /** Of each key that has one item. */
  readonly single: LayeredMap<Item>
  /** Of each key that has several; few keys. */
  readonly several: ReadonlyMap<string, readonly Item[]>
}

export const NO_ITEMS: ItemsByKey<never> = { single: EMPTY_MAP, several: new Map<string, never>() }

/** An item and its key. */
export type Keyed<Item> = readonly [key: string, item: Item]

export function itemsAt<Item>({ single, several }: ItemsByKey<Item>, key: string): readonly Item[] {
  const item = valueAt(single, key)
  return item === undefined ? (several.get(key) ?? []) : [item]
}

/** The items without `removed`, told by identity, and with `added`, which come last at their keys. */
export function exchangeItems<Item>(
  items: ItemsByKey<Item>,
  removed: readonly Keyed<Item>[],
  added: readonly Keyed<Item>[],
): ItemsByKey<Item> {
  const single = new Map<string, Item | undefined>()
  /** Of keys that have, or had, several. */
  const lists = new Map<string, Set<Item>>()
  const listAt = (key: string): Set<Item> | undefined => {
    const list = lists.get(key) ?? (items.several.has(key) ? new Set(items.several.get(key)) : undefined)
    if (list !== undefined) lists.set(key, list)
    return list
  }
  for (const [key, item] of removed) {
    const list = listAt(key)
    if (list === undefined) single.set(key, undefined)
    else list.delete(item)
  }
  for (const [key, item] of added) {
    const list = listAt(key)
    const other = single.has(key) ? single.get(key) : valueAt(items.single, key)
    if (list !== undefined) list.add(item)
    else if (other === undefined) single.set(key, item)
    else lists.set(key, new Set([other, item]))
  }
  for (const [key, list] of lists) single.set(key, list.size === 1 ? [...list][0] : undefined)
  return {
    single: single.size === 0 ? items.single : withValues(items.single, single),
    several: lists.size === 0 ? items.several : withLists(items.several, lists),
  }
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
