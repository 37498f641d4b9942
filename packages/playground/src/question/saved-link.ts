const KEY = 'kube-rules work'

/** Longer links are not saved, because browsers limit the storage of a page. */
const MOST_CHARACTERS = 2_000_000

/** Saves the link to the edited objects for the next visit. A page from `file://` may have no storage. */
export function saveLink(hash: string): void {
  if (hash.length > MOST_CHARACTERS) return
  try {
    localStorage.setItem(KEY, hash)
  } catch {}
}

/** Returns the link that an earlier visit saved; undefined if nothing was saved. */
export function loadSavedLink(): string | undefined {
  try {
    return localStorage.getItem(KEY) ?? undefined
  } catch {
    return undefined
  }
}
