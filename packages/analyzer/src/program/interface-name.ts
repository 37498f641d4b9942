/** Reports whether an interface has a name; a trailing `+` in the name of a rule is a wildcard. */
export function matchesInterfaceName(name: string, actual: string): boolean {
  return name.endsWith('+') ? actual.startsWith(name.slice(0, -1)) : actual === name
}
