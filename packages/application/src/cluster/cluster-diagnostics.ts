import { type Diagnostic, formatReference, type ObjectReference, type Service } from '@kube-rules/types'
import type { Manifests } from '@kube-rules/types/schema'
import type { ParsedDocument } from './parse-documents.js'

/** The diagnostics from reading objects, and the source of each object by its `createObjectLabelKey`. */
export interface LabelledDiagnostics {
  readonly diagnostics: readonly Diagnostic[]
  readonly labels: ReadonlyMap<string, string>
}

/**
 * Merges the diagnostics from reading a cluster with `found`, the diagnostics from compiling this cluster. Duplicates
 * are removed, because both steps check the configuration. If there are several documents, each diagnostic gets the
 * file and document of its object.
 */
export function mergeClusterDiagnostics(
  { diagnostics, labels }: LabelledDiagnostics,
  found: readonly Diagnostic[],
): readonly Diagnostic[] {
  const located = found.map((diagnostic) => {
    const source = labels.get(createObjectLabelKey(diagnostic.object))
    return source === undefined ? diagnostic : { ...diagnostic, source }
  })
  return [...new Map([...diagnostics, ...located].map((each) => [createDiagnosticKey(each), each])).values()]
}

/** Returns the key of an object in `labels`. */
export function createObjectLabelKey(object: ObjectReference): string {
  return formatReference(object)
}

/** The only configuration of a cluster. */
export const CONFIGURATION_REFERENCE: ObjectReference = { kind: 'KubeProxyConfiguration', name: 'config' }

/** Returns the source of each object, by `createObjectLabelKey`. */
export function createObjectLabels(
  manifests: Manifests,
  documents: readonly ParsedDocument[],
): ReadonlyMap<string, string> {
  const { services, endpointSlices, endpoints, nodes, serviceCIDRs, configuration, sources } = manifests
  const objects: readonly (readonly [string, readonly Labelled[]])[] = [
    ['Service', services],
    ['EndpointSlice', endpointSlices],
    ['Endpoints', endpoints],
    ['Node', nodes],
    ['ServiceCIDR', serviceCIDRs],
  ]
  const references = objects.flatMap(([kind, list]) =>
    list.map((object) => [object, referenceOf(kind, object)] as const),
  )
  const all =
    configuration === undefined ? references : [...references, [configuration, CONFIGURATION_REFERENCE] as const]
  const labels = new Map<string, string>()
  for (const [object, reference] of all) {
    const label = findObjectLabel(sources.get(object) ?? '', reference, documents)
    if (label !== undefined) labels.set(createObjectLabelKey(reference), label)
  }
  return labels
}

type Labelled = Pick<Service, 'metadata'>

function referenceOf(kind: string, { metadata }: Labelled): ObjectReference {
  return { kind, namespace: metadata?.namespace ?? undefined, name: metadata?.name ?? '' }
}

/** Returns the key of a diagnostic; equal diagnostics have the same key. */
export function createDiagnosticKey({ severity, code, object, source, path, message }: Diagnostic): string {
  return JSON.stringify([severity, code, formatReference(object), source, path, message])
}

/**
 * Adds readable locations to diagnostics about an array of documents. The source of an object is an array path such as
 * `[3].items[0]`. If there are several documents, the label of the document replaces the array path. The path in the
 * document is added for an object without a name. A diagnostic without an object, for example about an item without a
 * kind, has a path such as `[3].items[0].kind`. The document becomes the object of this diagnostic.
 */
export function labelDiagnostics(
  diagnostics: readonly Diagnostic[],
  documents: readonly ParsedDocument[],
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => {
    const { object, source } = diagnostic
    if (object.kind === 'Input') return labelInput(diagnostic, documents)
    return source === undefined ? diagnostic : { ...diagnostic, source: findObjectLabel(source, object, documents) }
  })
}

function labelInput(diagnostic: Diagnostic, documents: readonly ParsedDocument[]): Diagnostic {
  const [document, rest] = splitPlace(diagnostic.path ?? '', documents)
  if (document === undefined) return diagnostic
  return { ...diagnostic, object: { kind: 'Input', name: document.label }, path: rest || undefined }
}

/**
 * Returns the file and document of an object at a path such as `[3].items[0]`. For an object without a name, also its
 * path in the document. Undefined for an object with a name in the only document.
 */
function findObjectLabel(
  source: string,
  { name }: ObjectReference,
  documents: readonly ParsedDocument[],
): string | undefined {
  const [document, rest] = splitPlace(source, documents)
  const label = documents.length > 1 ? document?.label : undefined
  const parts = [label, name === '' ? rest : ''].filter((part) => part)
  return parts.length === 0 ? undefined : parts.join(', ')
}

function splitPlace(
  place: string,
  documents: readonly ParsedDocument[],
): readonly [ParsedDocument | undefined, string] {
  const [, index, rest = ''] = /^\[(\d+)\]\.?(.*)$/s.exec(place) ?? []
  return [documents[Number(index)], rest]
}
