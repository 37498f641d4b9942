import type { Diagnostic, DiagnosticCode, ObjectReference } from '@kube-rules/types'
import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'

/** Collects the problems of one object during reading. `errors` counts the diagnostics of severity error. */
export interface DiagnosticCollector {
  readonly object: ObjectReference
  readonly diagnostics: Diagnostic[]
  errors: number
}

export function createDiagnosticCollector(object: ObjectReference): DiagnosticCollector {
  return { object, diagnostics: [], errors: 0 }
}

export function addError(
  collector: DiagnosticCollector,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected?: string,
): void {
  collector.errors += 1
  collector.diagnostics.push({ severity: 'error', code, object: collector.object, path, message, expected })
}

/**
 * Adds an error such as `70000 is not a port`, for the `kind` `a port`. `expected` describes valid values. Default:
 * `kind`.
 */
export function addTypeError(
  collector: DiagnosticCollector,
  path: string,
  value: unknown,
  kind: string,
  expected: string = kind,
): void {
  addError(collector, 'invalidType', path, `${describeValue(value)} is not ${kind}`, expected)
}

export function addWarning(
  collector: DiagnosticCollector,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected?: string,
): void {
  collector.diagnostics.push({ severity: 'warning', code, object: collector.object, path, message, expected })
}

export function addInfo(collector: DiagnosticCollector, code: DiagnosticCode, path: string, message: string): void {
  const { object } = collector
  collector.diagnostics.push({ severity: 'info', code, object, path, message, expected: undefined })
}

const LONGEST_QUOTE = 64

/** Formats any value for a message, on one short line. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return escapeControlCharacters(JSON.stringify(value.slice(0, LONGEST_QUOTE)))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
