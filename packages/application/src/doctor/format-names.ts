/** The maximum number of names in a list. */
const MAX_NAMES = 10

/** Formats a list of names: `node-1, node-2`. After 10 names, it contains only the number of further names. */
export function formatNames(names: readonly string[]): string {
  const more = names.length - MAX_NAMES
  return more <= 0 ? names.join(', ') : `${names.slice(0, MAX_NAMES).join(', ')} and ${more} more`
}
