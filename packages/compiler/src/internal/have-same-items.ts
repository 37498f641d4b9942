/**
 * Reports whether two lists contain identical items in the same order. Lists are long and mostly equal, so the function
 * is a simple loop with `Object.is`. In contrast, `===` would first check whether each item is a number.
 */
export function haveSameItems<T>(before: readonly T[], after: readonly T[]): boolean {
  if (before === after) return true
  if (before.length !== after.length) return false
  for (let index = 0; index < before.length; index++) if (!Object.is(before[index], after[index])) return false
  return true
}
