import { parseAst } from 'vitest/node'
import { MUTANTS_OF_NODE } from './kinds.mjs'
import { walk } from './walk.mjs'

const parse = (text) => parseAst(text, { lang: 'ts' })

/**
 * Returns all mutants of a TypeScript source, in text order: `kind` (a key of `MUTANTS_OF_NODE`), `line` from 1,
 * `within` (the surrounding declarations), `before` and `after` (the complete changed lines) and `text`, the mutated
 * source. A few have invalid syntax; see `isValid`.
 */
export function findMutants(source) {
  const found = new Map()
  walk(parse(source), (node, ancestors) => {
    for (const [kind, mutantsOf] of Object.entries(MUTANTS_OF_NODE)) {
      for (const edit of mutantsOf(node, ancestors, source)) {
        const mutant = mutantOf(source, kind, edit, ancestors)
        if (mutant.text !== source && !found.has(mutant.text)) found.set(mutant.text, mutant)
      }
    }
  })
  return [...found.values()].sort((a, b) => a.line - b.line)
}

/** Reports whether the mutated source can be parsed. */
export function isValid({ text }) {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

function mutantOf(source, kind, { start, end, by }, ancestors) {
  const text = source.slice(0, start) + by + source.slice(end)
  const from = source.lastIndexOf('\n', start - 1) + 1
  const until = (source.indexOf('\n', end) + 1 || source.length + 1) - 1
  return {
    kind,
    line: source.slice(0, start).split('\n').length,
    within: placeOf(ancestors),
    before: inOneLine(source.slice(from, until)),
    after: inOneLine(source.slice(from, start) + by + source.slice(end, until)),
    text,
  }
}

const inOneLine = (text) => text.trim().replace(/\s*\n\s*/g, ' ')

/** Returns the names of the functions and constants around a node, outermost first: `compile > order`. */
function placeOf(ancestors) {
  return ancestors
    .flatMap(({ id }) => (id?.name === undefined ? [] : [id.name]))
    .reverse()
    .join(' > ')
}
