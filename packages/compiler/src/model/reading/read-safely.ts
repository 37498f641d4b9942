import { DiagnosticsError } from '@kube-rules/types'
import { createArgumentError } from '@kube-rules/types/internal/diagnostic'
import { isInvariantError } from '../../internal/invariant.js'
import { addError, type DiagnosticCollector } from './diagnostic-collector.js'

/**
 * Reads an object that may throw when it is read: it has a getter, or is a revoked proxy. If reading throws, reports
 * the object like any other invalid object and returns `fallback`.
 */
export function readSafely<T>(collector: DiagnosticCollector, read: () => T, fallback: T): T {
  try {
    return read()
  } catch (error) {
    rethrowOwn(error)
    addError(collector, 'invalidType', '', 'a field throws an error when it is read', 'plain data')
    return fallback
  }
}

/** Reads an argument that may throw when it is read. If reading throws, throws DiagnosticsError (`invalidArgument`). */
export function readArgument<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    rethrowOwn(error)
    throw createArgumentError(name, 'a field throws an error when it is read', 'plain data')
  }
}

/** Rethrows an error if it is an error of this library. */
function rethrowOwn(error: unknown): void {
  if (error instanceof DiagnosticsError || isInvariantError(error)) throw error
}
