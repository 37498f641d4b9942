import { DiagnosticsError } from '@kube-rules/types'

/**
 * Creates the error for an argument that cannot be intended. A problem of one object is only reported. An invalid
 * argument treated as empty would resemble a cluster without objects, and a diff would delete all of its rules.
 */
export function createArgumentError(name: string, message: string, expected: string, path?: string): DiagnosticsError {
  const object = { kind: 'Argument', name }
  return new DiagnosticsError([{ severity: 'error', code: 'invalidArgument', object, path, message, expected }])
}
