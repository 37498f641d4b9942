import { DiagnosticsError } from '@kube-rules/types'

/**
 * Creates the error for an invalid argument. Unlike a problem of an individual object, an invalid argument is an
 * exception. If the argument counted as empty, the cluster would seem to have no objects, and a diff would delete all
 * rules.
 */
export function createArgumentError(name: string, message: string, expected: string, path?: string): DiagnosticsError {
  const object = { kind: 'Argument', name }
  return new DiagnosticsError([{ severity: 'error', code: 'invalidArgument', object, path, message, expected }])
}
