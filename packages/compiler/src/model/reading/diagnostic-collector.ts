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
  findings: DiagnosticCollector,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected?: string,
): void {
  findings.errors += 1
  findings.diagnostics.push({ severity: 'error', code, object: findings.object, path, message, expected })
}

/**
 * Adds the error that `value` is not `kind`, such as `a port`. `expected` describes the expected value and is `kind` by
 * default.
 */
export function addTypeError(
  findings: DiagnosticCollector,
  path: string,
  value: unknown,
  kind: string,
  expected: string = kind,
): void {
  addError(findings, 'invalidType', path, `${describeValue(value)} is not ${kind}`, expected)
}

export function addWarning(
  findings: DiagnosticCollector,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected?: string,
): void {
  findings.diagnostics.push({ severity: 'warning', code, object: findings.object, path, message, expected })
}

export function addInfo(findings: DiagnosticCollector, code: DiagnosticCode, path: string, message: string): void {
  const { object } = findings
  findings.diagnostics.push({ severity: 'info', code, object, path, message, expected: undefined })
}

const LONGEST_QUOTE = 64

/** Formats any value for a message, on one short line. */
export function describeValue(value: unknown): string {
  if (typeof value === 'string') return escapeControlCharacters(JSON.stringify(value.slice(0, LONGEST_QUOTE)))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return typeof value === 'function' ? 'a function' : String(value)
}
