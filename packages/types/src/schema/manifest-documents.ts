import type { Diagnostic, DiagnosticCode, ObjectReference } from '../diagnostic.js'
import { createUnreadableDiagnostic, describeValue, fieldOf, isObject, nonEmptyStringOf } from './untyped.js'

/** One object of the input, with its declared type. */
export interface ManifestDocument {
  readonly kind: string
  /** The API group of `apiVersion`: empty for `v1`, undefined if there is no `apiVersion`. */
  readonly group: string | undefined
  readonly value: object
  /** The location in the input, for example `[3].items[0]`; empty for the input itself. */
  readonly path: string
}

export interface ManifestDocuments {
  readonly documents: readonly ManifestDocument[]
  readonly diagnostics: readonly Diagnostic[]
}

/** The reference for diagnostics about the input as a whole. */
export const INPUT_REFERENCE: ObjectReference = { kind: 'Input', name: 'manifests' }

/** The maximum depth of lists in lists. */
export const MAXIMUM_DEPTH = 32

interface Walk {
  readonly documents: ManifestDocument[]
  readonly diagnostics: Diagnostic[]
  /**
   * The lists that were already read. A YAML alias can reference the same list several times, and a list can contain
   * itself.
   */
  readonly seen: Set<object>
}

/** The location of a value. If a typed list contains the value, the item type of this list is included. */
interface Place {
  readonly path: string
  readonly depth: number
  readonly kind?: string | undefined
  readonly apiVersion?: string | undefined
}

/** Collects the objects of arrays, of `List` and of typed lists such as `ServiceList`, in input order. */
export function collectManifestDocuments(input: unknown): ManifestDocuments {
  const walk: Walk = { documents: [], diagnostics: [], seen: new Set() }
  visit(walk, input, { path: '', depth: 0 })
  return { documents: walk.documents, diagnostics: walk.diagnostics }
}

function visit(walk: Walk, value: unknown, place: Place): void {
  try {
    visitReadable(walk, value, place)
  } catch {
    walk.diagnostics.push(createUnreadableDiagnostic(INPUT_REFERENCE, place.path || undefined))
  }
}

function visitReadable(walk: Walk, value: unknown, place: Place): void {
  if (Array.isArray(value)) visitItems(walk, value, place)
  else if (isObject(value)) visitObject(walk, value, place)
  else if (!isEmptyDocument(value, place))
    report(walk, 'invalidType', place.path, `got ${describeValue(value)}`, 'a Kubernetes object')
}

/**
 * Reports whether a value is an empty YAML document. YAML parsers return an empty document as an item of the input
 * itself.
 */
function isEmptyDocument(value: unknown, { path, depth }: Place): boolean {
  return (value === null || value === undefined) && depth === 1 && path.startsWith('[')
}

function visitObject(walk: Walk, value: object, place: Place): void {
  const kind = nonEmptyStringOf(value, 'kind') ?? place.kind
  const apiVersion = nonEmptyStringOf(value, 'apiVersion') ?? place.apiVersion
  if (kind === undefined) {
    report(walk, 'missingField', join(place.path, 'kind'), 'missing', 'a kind such as Service')
  } else if (kind.endsWith('List') && Object.hasOwn(value, 'items')) {
    visitList(walk, value, { ...place, kind: itemKind(kind), apiVersion })
  } else {
    walk.documents.push({ kind, group: groupOf(apiVersion), value, path: place.path })
  }
}

function visitList(walk: Walk, list: object, place: Place): void {
  const items = fieldOf(list, 'items')
  const path = join(place.path, 'items')
  if (Array.isArray(items)) visitItems(walk, items, { ...place, path })
  else if (items !== null && items !== undefined)
    report(walk, 'invalidType', path, `got ${describeValue(items)}`, 'a list')
}

function visitItems(walk: Walk, items: readonly unknown[], place: Place): void {
  if (walk.seen.has(items)) return
  walk.seen.add(items)
  if (place.depth === MAXIMUM_DEPTH) {
    report(walk, 'invalidValue', place.path, 'lists are nested too deeply', `at most ${MAXIMUM_DEPTH}`)
    return
  }
  for (const [index, item] of items.entries()) {
    visit(walk, item, { ...place, path: `${place.path}[${index}]`, depth: place.depth + 1 })
  }
}

/**
 * Returns the kind of the items of a typed list: the items of a `ServiceList` are Services. The items themselves have
 * no `kind`. Returns undefined for a `List`, because it defines no kind.
 */
function itemKind(kind: string): string | undefined {
  return kind === 'List' ? undefined : kind.slice(0, -'List'.length)
}

function groupOf(apiVersion: string | undefined): string | undefined {
  return apiVersion?.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : apiVersion && ''
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

function report(walk: Walk, code: DiagnosticCode, path: string, message: string, expected: string): void {
  walk.diagnostics.push({
    severity: 'error',
    code,
    object: INPUT_REFERENCE,
    path: path || undefined,
    message,
    expected,
  })
}
