import type { Diagnostic } from '@kube-rules/types'
import type { Document } from './parse-documents.js'

/**
 * Diagnostics about no object of its own, such as an item without a kind, point into the array that was parsed
 * (`[3].items[0].kind`). Here they get the label of that document instead.
 */
export function labelDiagnostics(
  diagnostics: readonly Diagnostic[],
  documents: readonly Document[],
): readonly Diagnostic[] {
  return diagnostics.map((diagnostic) => labelDiagnostic(diagnostic, documents))
}

function labelDiagnostic(diagnostic: Diagnostic, documents: readonly Document[]): Diagnostic {
  const [, index, rest] = /^\[(\d+)\]\.?(.*)$/s.exec(diagnostic.path ?? '') ?? []
  const document = documents[Number(index)]
  if (diagnostic.object.kind !== 'Input' || document === undefined) return diagnostic
  return { ...diagnostic, object: { kind: 'Input', name: document.label }, path: rest || undefined }
}
