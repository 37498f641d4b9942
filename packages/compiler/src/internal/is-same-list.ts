/**
 * Reports whether two lists contain identical items in the same order. A plain loop, because lists are long and mostly
 * equal. `===` would inspect each item, in case it is a number.
 */
export function isSameList<T>(before: readonly T[], after: readonly T[]): boolean {
  if (before === after) return true
  if (before.length !== after.length) return false
  for (let index = 0; index < before.length; index++) if (!Object.is(before[index], after[index])) return false
  return true
}
