import { type Diagnostic, type DiagnosticCode, formatDiagnostic } from '@kube-rules/types'

/** The codes of warnings about addresses of other Services, of the node or of pods. */
const IN_USE: ReadonlySet<DiagnosticCode> = new Set([
  'structure',
  'addressConflict',
  'nodeAddressConflict',
  'specialAddress',
])

/** Returns the warnings that only the second list has. Warnings about addresses in use come first. */
export function findAddedWarnings(before: readonly Diagnostic[], after: readonly Diagnostic[]): readonly string[] {
  const known = new Set(before.map(textOf))
  const added = after.filter((each) => each.severity === 'warning' && !known.has(textOf(each)))
  const sorted = [...added.filter(({ code }) => IN_USE.has(code)), ...added.filter(({ code }) => !IN_USE.has(code))]
  return [...new Set(sorted.map(textOf))]
}

/** Formats a warning without its severity and source: `Service shop/web: spec.clusterIP: …`. */
function textOf({ source: _, ...diagnostic }: Diagnostic): string {
  return formatDiagnostic(diagnostic).replace(/^[a-z]+: /, '')
}
