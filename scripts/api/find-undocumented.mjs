/** The end of the comment that API Extractor writes above a declaration without a docstring. */
const MARK = '(undocumented)'

/** Returns the declarations of a report that have no docstring: `{ line, declaration }`. */
export function findUndocumented(report) {
  const lines = report.split('\n')
  return lines.flatMap((text, index) => {
    const isMark = text.trimStart().startsWith('//') && text.endsWith(MARK)
    return isMark ? [{ line: index + 2, declaration: (lines[index + 1] ?? '').trim() }] : []
  })
}
