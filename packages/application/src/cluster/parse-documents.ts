import { getSystemErrorReason, InputError } from '../messages/errors.js'
import { OUTPUT_FOR_PEOPLE } from '../messages/output-for-people.js'
import { looksLikeJson, parseJson } from './parse-json.js'
import { parseYaml } from './parse-yaml.js'
import type { TextSource } from './text-source.js'
import { translateConfiguration } from './translate-configuration.js'
import type { YamlDocumentCache } from './yaml-documents.js'

/** One JSON or YAML document: an object or a list. */
export interface ParsedDocument {
  /** The file name for messages. If the file has several documents, also the number of the document. */
  readonly label: string
  readonly value: object
}

/**
 * Parses a source with any number of JSON or YAML documents. Empty documents are left out.
 *
 * @throws InputError if the text is not well formed or empty, or if a document is neither an object nor a list.
 */
export function parseDocuments(source: TextSource): readonly ParsedDocument[] {
  return parseDocumentsWithCache(source, undefined)
}

/** Parses a source like `parseDocuments`, but reuses YAML pieces that are in `known`. */
export function parseDocumentsWithCache(
  { name, text }: TextSource,
  known: YamlDocumentCache | undefined,
): readonly ParsedDocument[] {
  const values = parseText(name, text, known)
  const documents = values.flatMap((value, index) => {
    const label = values.length === 1 ? name : `${name}, document ${index + 1}`
    return value === null ? [] : [{ label, value: translateConfiguration(requireObject(label, value)) }]
  })
  if (documents.length === 0) throw new InputError(`${name}: empty`)
  return documents
}

/** Reports whether a text is the output of `kubectl describe`, or the table of `kubectl get`. */
function isForPeople(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1)
  const isTable = /^(?:NAMESPACE +)?NAME +(?:[A-Z]|\S+ +[A-Z])/.test(first)
  return isTable || (/^Name: {2,}\S/.test(first) && /^(?:Namespace|Labels|Annotations|Roles): {2,}/m.test(text))
}

/**
 * Tries the JSON parser before the YAML parser. JSON is also valid YAML, but the JSON parser takes a fraction of the
 * time, and its errors are about JSON syntax.
 */
function parseText(name: string, text: string, known: YamlDocumentCache | undefined): readonly unknown[] {
  if (isForPeople(text)) throw new InputError(`${name}: ${OUTPUT_FOR_PEOPLE}`)
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined
  if (json?.ok) return json.values
  try {
    return parseYaml(text, known)
  } catch (error) {
    const problem =
      json !== undefined && looksLikeJson(text) ? `not JSON: ${json.problem}` : getSystemErrorReason(error)
    throw new InputError(`${name}: ${problem}`)
  }
}

function requireObject(label: string, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value
  throw new InputError(`${label}: expected a Kubernetes object, got a ${typeof value}`)
}
