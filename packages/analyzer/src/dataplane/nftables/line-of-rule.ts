/**
 * Returns the index of the only line that contains a rule, opens its table (`table ip kube-proxy`), or contains its
 * element (`… vmap { 10.96.0.1 . tcp . 80 : drop }`); undefined if no line or several lines do: many chains have equal
 * rules.
 */
export function lineOfRule(rule: string, lines: readonly string[]): number | undefined {
  const [, element] = /\{ (.*) \}$/.exec(rule) ?? []
  const own = onlyIndex(lines, (line) => line === rule || line === `${rule} {`)
  return own !== undefined || element === undefined ? own : onlyIndex(lines, (line) => hasElement(line, element))
}

function hasElement(line: string, element: string): boolean {
  return line.replace(/^elements = \{ /, '').replace(/(?:,| \})$/, '') === element
}

function onlyIndex(lines: readonly string[], fits: (line: string) => boolean): number | undefined {
  const indexes = lines.flatMap((line, index) => (fits(line) ? index : []))
  return indexes.length === 1 ? indexes[0] : undefined
}
