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
  const found = lines.flatMap((line, index) => (fits(line) ? index : []))
  return found.length === 1 ? found[0] : undefined
}
