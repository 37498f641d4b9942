/** Compares two values of one type, for sorting. Strings are compared by code unit. */
export function compareValues<Value extends string | number | bigint>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0
}
