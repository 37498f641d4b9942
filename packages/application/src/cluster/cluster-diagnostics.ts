import { type Diagnostic, formatReference, type ObjectReference } from '@kube-rules/types'
import type { Document } from './parse-documents.js'

/** What was found when objects were read, and where each of them was, by `labelKey`. */
export interface ReadObjects {
  readonly diagnostics: readonly Diagnostic[]
  readonly labels: ReadonlyMap<string, string>
}

/**
 * What was found when a cluster was read, and what its compilation `found`: each thing once, though both look at the
 * configuration, and each with the file and document of its object where there are several.
 */
export function clusterDiagnostics(
  { diagnostics, labels }: ReadObjects,
  found: readonly Diagnostic[],
): readonly Diagnostic[] {
  const located = found.map((diagnostic) => {
    const source = labels.get(labelKey(diagnostic.object))
    return source === undefined ? diagnostic : { ...diagnostic, source }
  })
  return [...new Map([...diagnostics, ...located].map((each) => [keyOf(each), each])).values()]
}

/** What `labels` has an object under. */
export function labelKey(object: ObjectReference): string {
  return formatReference(object)
}

function keyOf({ severity, code, object, source, path, message }: Diagnostic): string {
  return JSON.stringify([severity, code, formatReference(object), source, path, message])
}

/**
 * Diagnostics about objects that came out of an array of documents, such as `[3].items[0]`: in place of that, the label of the
 * document where there are several, and the place in the document of an object without a name. Those about no object of its
 * own, such as an item without a kind, point into the array (`[3].items[0].kind`); they get the document as their object.
 */
export function labelDiagnostics(
  diagnostics: readonly Diagnostic[],
  documents: readonly Document[],
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { object, source } = diagnostic
    if (object.kind === 'Input') return labelInput(diagnostic, documents)
    return source === undefined ? diagnostic : { ...diagnostic, source: labelOf(source, object, documents) }
  })
}

function labelInput(diagnostic: Diagnostic, documents: readonly Document[]): Diagnostic {
  const [document, rest] = splitPlace(diagnostic.path ?? '', documents)
  if (document === undefined) return diagnostic
  return { ...diagnostic, object: { kind: 'Input', name: document.label }, path: rest || undefined }
}

/** The file and document of an object that stood at `[3].items[0]`; undefined where it goes without saying. */
export function labelOf(source: string, { name }: ObjectReference, documents: readonly Document[]): string | undefined {
  const [document, rest] = splitPlace(source, documents)
  const label = documents.length > 1 ? document?.label : undefined
  const parts = [label, name === '' ? rest : ''].filter((part) => part)
  return parts.length === 0 ? undefined : parts.join(', ')
}

function splitPlace(place: string, documents: readonly Document[]): readonly [Document | undefined, string] {
  const [, index, rest = ''] = /^\[(\d+)\]\.?(.*)$/s.exec(place) ?? []
  return [documents[Number(index)], rest]
}
