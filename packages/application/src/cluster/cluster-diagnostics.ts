import { type Diagnostic, formatReference, type ObjectReference } from '@kube-rules/types'

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
