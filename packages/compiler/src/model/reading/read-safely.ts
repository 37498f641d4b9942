import { DiagnosticsError } from '@kube-rules/types'
import { isInvariantError } from '../../internal/invariant.js'
import { createArgumentError } from './argument-error.js'
import { addError, type DiagnosticCollector } from './diagnostic-collector.js'

/**
 * Reads an object that may throw: a getter, or a revoked proxy. Such an object is reported and left out, like any other
 * invalid object. Returns `fallback` in that case.
 */
export function readSafely<T>(findings: DiagnosticCollector, read: () => T, fallback: T): T {
  try {
    return read()
  } catch (error) {
    rethrowOwn(error)
    addError(findings, 'invalidType', '', 'a field throws an error when it is read', 'plain data')
    return fallback
  }
}

/** Reads an argument that may throw. Throws DiagnosticsError (`invalidArgument`) in that case. */
export function readArgument<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    rethrowOwn(error)
    throw createArgumentError(name, 'a field throws an error when it is read', 'plain data')
  }
}

/** Rethrows the errors of this library. */
function rethrowOwn(error: unknown): void {
  if (error instanceof DiagnosticsError || isInvariantError(error)) throw error
}
