import { findAliasExpansion } from '@kube-rules/types/internal/schema/expanded-aliases'
import { CORE_SCHEMA, loadAll, mergeTag, YAMLException } from 'js-yaml'
import { getSystemErrorReason } from '../messages/errors.js'
import { splitYamlDocuments, splitYamlList, type YamlDocumentCache } from './yaml-documents.js'

/** A schema with merge keys (`<<: *defaults`). YAML 1.2 does not define them, but manifests contain them. */
const SCHEMA = CORE_SCHEMA.withTags(mergeTag)

/**
 * Parses the documents of YAML text. An empty document is null. Throws an error with a one-line message that contains
 * the document, line and column, each counted from 1. Also throws an error if aliases multiply the values of the text
 * out of proportion. Pieces of the text that are in the cache `known` are not parsed again. Their cached values are
 * returned.
 */
export function parseYaml(text: string, known?: YamlDocumentCache): readonly unknown[] {
  const values = parseDocuments(text, known)
  const problem = findAliasExpansion(text, values)
  if (problem !== undefined) throw new Error(problem)
  return values
}

function parseDocuments(text: string, known: YamlDocumentCache | undefined): readonly unknown[] {
  if (known === undefined || BEYOND_PIECES.test(text)) return load(text)
  const values: unknown[] = []
  let start = 0
  for (const piece of splitYamlDocuments(text)) {
    const pieceValues = valuesOfList(piece, known) ?? known.valuesOf(piece, loadOrNothing)
    // A piece that is invalid or incomplete is parsed together with the remaining text.
    if (pieceValues === NOTHING) return loadRest(text, start, values)
    for (const value of pieceValues) values.push(value)
    start += piece.length
  }
  return values
}

/** Returns the values of a List, item by item. Undefined for any other text, and if an item cannot be parsed alone. */
function valuesOfList(piece: string, known: YamlDocumentCache): readonly unknown[] | undefined {
  const parts = splitYamlList(piece)
  if (parts === undefined) return undefined
  const [list, ...others] = known.valuesOf(parts.head + parts.tail, loadOrNothing)
  if (others.length > 0 || !isListWithoutItems(list)) return undefined
  const items: unknown[] = []
  for (const part of parts.items) {
    const [sequence, ...more] = known.valuesOf(part, loadOrNothing)
    if (!Array.isArray(sequence) || sequence.length !== 1 || more.length > 0) return undefined
    items.push(sequence[0])
  }
  return [{ ...list, items }]
}

function isListWithoutItems(value: unknown): value is { readonly items: null } {
  return typeof value === 'object' && value !== null && 'items' in value && value.items === null
}

/**
 * Character sequences that prevent parsing a text piece by piece. A merge key (or a tag that may be a merge) is one of
 * them, because the parser limits merged keys per text and not per document. A byte order mark is another, because it
 * can end a document.
 */
const BEYOND_PIECES = /<<|!|\ufeff/

/** Marks a piece that cannot be parsed by itself. */
const NOTHING: readonly unknown[] = []

function loadOrNothing(piece: string): readonly unknown[] {
  try {
    return loadAll(piece, { schema: SCHEMA })
  } catch {
    return NOTHING
  }
}

/**
 * Parses the text from `start` on and prepends the documents in `known`. If this fails, parses the whole text, so that
 * the error has the correct position.
 */
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
  if (!(error instanceof YAMLException)) return getSystemErrorReason(error)
  if (!error.mark) return error.reason
  const { line, column, position } = error.mark
  const place = `document ${documentNumber(text, position)}, line ${line + 1}, column ${column + 1}`
  return `${place}: ${error.reason}${isTemplate(text) ? '; this is a template, expected the output of helm template' : ''}`
}

/** Reports whether a text contains an action of a Helm template, such as `{{ .Release.Name }}` or `{{- if`. */
function isTemplate(text: string): boolean {
  return /^[^#\n\r\u2028\u2029]*\{\{-?\s*[\w.$"(]/m.test(text)
}

/**
 * Returns the number of the document at a position. A `---` at the very beginning opens the first document. Every other
 * `---` opens the next document.
 */
function documentNumber(text: string, position: number): number {
  const [before = '', ...documents] = text.slice(0, position).split(/^---(?=\s|$)/m)
  const hasContent = before.split('\n').some((line) => !/^\s*(?:[#%]|$)/.test(line))
  return Math.max(1, documents.length + (hasContent ? 1 : 0))
}
