const COMMENT_OR_STRING = /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

const CLAUSE = String.raw`(?:\*(?:\s+as\s+\w+)?|\{[^}]*\}|\w+(?:\s*,\s*(?:\{[^}]*\}|\*\s+as\s+\w+))?)`
const STATIC = new RegExp(String.raw`^(?:import|export)\s+(type\s+)?(?:${CLAUSE}\s+from\s+)?['"]([^'"]+)['"]`, 'gm')
const DYNAMIC = /\bimport\(\s*['"]([^'"]+)['"]/g

/** Replaces comments in the source by blanks; all other characters retain their positions. */
export function blankComments(source) {
  return source.replace(COMMENT_OR_STRING, (text) => (text.startsWith('/') ? text.replace(/[^\n]/g, ' ') : text))
}

/** Returns every module that a source (without comments) imports or re-exports: `{ specifier, typeOnly, line }`. */
export function findSpecifiers(source) {
  const found = []
  for (const match of source.matchAll(STATIC)) found.push(specifierAt(source, match, match[2], match[1] !== undefined))
  for (const match of source.matchAll(DYNAMIC)) found.push(specifierAt(source, match, match[1], false))
  return found.sort((a, b) => a.line - b.line)
}

/** Returns the line number, from 1, of the character at `index`. */
export function lineAt(source, index) {
  return source.slice(0, index).split('\n').length
}

function specifierAt(source, match, specifier, typeOnly) {
  return { specifier, typeOnly, line: lineAt(source, match.index + match[0].length) }
}
