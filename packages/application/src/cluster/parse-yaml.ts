import { CORE_SCHEMA, loadAll, mergeTag, YAMLException } from 'js-yaml'
import { systemReason } from '../messages/errors.js'
import { type KnownPieces, yamlPieces } from './yaml-pieces.js'

/** With merge keys (`<<: *defaults`), which people write, though YAML 1.2 has none. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag)

/**
 * The documents of YAML text; an empty document is null. Fails with one line that says document, line and column,
 * each counted from 1. Of a text that is little different from one before only the pieces are read that `known` lacks; what the others
 * hold are the very values of before.
 */
export function parseYaml(text: string, known?: KnownPieces): readonly unknown[] {
  if (known === undefined || BEYOND_PIECES.test(text)) return load(text)
  const values: unknown[] = []
  let start = 0
  for (const piece of yamlPieces(text)) {
    const found = known.valuesOf(piece, loadOrNothing)
    // What is wrong, or needs what stands in the next piece, is said by all that is left.
    if (found === NOTHING) return loadRest(text, start, values)
    for (const value of found) values.push(value)
    start += piece.length
  }
  return values
}

/**
 * Of texts with one of these a piece does not tell all. Keys that are merged are counted over all documents, which may have so many and no
 * more, and a tag may say what merges; a byte order mark ends a document if what follows begins one.
 */
const BEYOND_PIECES = /<<|!|\ufeff/

/** What a piece holds that cannot be read by itself. */
const NOTHING: readonly unknown[] = []

function loadOrNothing(piece: string): readonly unknown[] {
  try {
    return loadAll(piece, { schema: SCHEMA })
  } catch {
    return NOTHING
  }
}

/** All documents, of which those before a place are known. What is wrong is said by the whole text, which says where. */
function loadRest(text: string, start: number, known: readonly unknown[]): readonly unknown[] {
  const rest = loadOrNothing(text.slice(start))
  return rest === NOTHING ? load(text) : [...known, ...rest]
}

function load(text: string): readonly unknown[] {
  try {
    return loadAll(text, { schema: SCHEMA })
  } catch (error) {
    throw new Error(describe(error, text))
  }
}

function describe(error: unknown, text: string): string {
  if (!(error instanceof YAMLException)) return systemReason(error)
  if (!error.mark) return error.reason
  const { line, column, position } = error.mark
  return `document ${documentNumber(text, position)}, line ${line + 1}, column ${column + 1}: ${error.reason}`
}

/** A `---` at the very beginning opens the first document, every other one the next. */
function documentNumber(text: string, position: number): number {
  const [before = '', ...documents] = text.slice(0, position).split(/^---(?=\s|$)/m)
  const hasContent = before.split('\n').some((line) => !/^\s*(?:[#%]|$)/.test(line))
  return Math.max(1, documents.length + (hasContent ? 1 : 0))
}
