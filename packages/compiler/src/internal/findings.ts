/** Where an object keeps what has been found out of it; it is no part of the data. */
const FINDINGS: unique symbol = Symbol('findings')

type Find = (object: never) => unknown

interface Keeping {
  readonly [FINDINGS]?: Map<Find, unknown>
}

/** The object, which from now on keeps what `findingOf` finds out of it. */
export function keepingFindings<T extends object>(object: T): T {
  return Object.defineProperty(object, FINDINGS, { value: new Map() })
}

/**
 * What `find` finds out of an object: once for one that keeps findings, each time for others. It must be the same function
 * each time, and depend on nothing else.
 */
export function findingOf<T extends object, Found>(object: T & Keeping, find: (object: T) => Found): Found {
  const findings = object[FINDINGS]
  if (findings === undefined) return find(object)
  const known = findings.get(find)
  if (known !== undefined) return known as Found
  const found = find(object)
  findings.set(find, found)
  return found
}
