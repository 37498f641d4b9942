/** Joins lines, or groups of lines, and ends each with a newline. */
export function joinLines(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}
