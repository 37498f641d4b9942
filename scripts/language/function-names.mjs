import { lineAt } from './prose.mjs'
import { tokensOf } from './tokens.mjs'

/** The end of code before the title of a group of tests: `describe(`, `describe.skipIf(…)(`. */
const BEFORE_GROUP_TITLE = /\bdescribe(?:\.\w+(?:\([^()]*\))?)*\(\s*$/
const CAMEL_CASE = /^[a-z]+[A-Z]\w*/

/**
 * Returns the titles of `describe` that begin with the name of a function (in camel case) that does not occur in the
 * code of the test, usually because the function was renamed.
 */
export function findUnknownFunctions(path, source) {
  const titles = tokensOf(source).filter(({ kind, start }) => kind === 'string' && isGroupTitle(source, start))
  const used = identifiersBetween(source, titles)
  return titles.flatMap(({ text, start }) => {
    const name = CAMEL_CASE.exec(text)?.[0]
    if (name === undefined || used.has(name)) return []
    return [{ path, line: lineAt(source, start), message: `the file does not use ${name}` }]
  })
}

function isGroupTitle(source, start) {
  return BEFORE_GROUP_TITLE.test(source.slice(Math.max(0, start - 200), start))
}

function identifiersBetween(source, titles) {
  const starts = [0, ...titles.map(({ end }) => end)]
  const ends = [...titles.map(({ start }) => start), source.length]
  const code = starts.map((start, index) => source.slice(start, ends[index])).join('\n')
  return new Set(code.match(/[A-Za-z_$][\w$]*/g))
}
