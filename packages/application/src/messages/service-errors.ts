import type { Diagnostic } from '@kube-rules/types'

/** Returns the errors of each invalid Service, by its namespace and name. kube-proxy has no rules for these Services. */
export function findServiceErrors(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, readonly Diagnostic[]> {
  const found = new Map<string, Diagnostic[]>()
  for (const diagnostic of diagnostics) {
    const { severity, object } = diagnostic
    if (severity !== 'error' || object.kind !== 'Service') continue
    const key = `${object.namespace ?? ''}/${object.name}`
    found.set(key, [...(found.get(key) ?? []), diagnostic])
  }
  return found
}
