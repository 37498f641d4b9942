import { DiagnosticsError } from '@kube-rules/types'

/**
 * The error for an argument that cannot be what its caller meant. What is wrong with one object is reported and the rest goes
 * on; an argument taken for nothing would look like a cluster without objects, and a diff would delete all of its rules.
 */
export function argumentError(name: string, message: string, expected: string, path?: string): DiagnosticsError {
  const object = { kind: 'Argument', name }
  return new DiagnosticsError([{ severity: 'error', code: 'invalidArgument', object, path, message, expected }])
}
