import type { Diagnostic, DiagnosticCode, ObjectReference, Severity } from '@kube-rules/types'
import { isObject } from './json-value.js'

/** What is wrong with one object, collected while it is read. `errors` counts the diagnostics of severity error. */
export interface Findings {
  readonly object: ObjectReference
  readonly diagnostics: Diagnostic[]
  errors: number
}

export function newFindings(object: ObjectReference): Findings {
  return { object, diagnostics: [], errors: 0 }
}

export function addError(
  findings: Findings,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected?: string,
): void {
  findings.errors += 1
  add(findings, 'error', code, path, message, expected)
}

export function addWarning(
  findings: Findings,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected?: string,
): void {
  add(findings, 'warning', code, path, message, expected)
}

export function addInfo(findings: Findings, code: DiagnosticCode, path: string, message: string): void {
  add(findings, 'info', code, path, message, undefined)
}

function add(
  findings: Findings,
  severity: Severity,
  code: DiagnosticCode,
  path: string,
  message: string,
  expected: string | undefined,
): void {
  findings.diagnostics.push({ severity, code, object: findings.object, path, message, expected })
}

/** How diagnostics name an object. Parts that are missing or no text are left out; `name` is empty then. */
export function referenceOf(kind: string, object: unknown): ObjectReference {
  const metadata = isObject(object) && isObject(object.metadata) ? object.metadata : {}
  const name = typeof metadata.name === 'string' ? metadata.name : ''
  return { kind, namespace: typeof metadata.namespace === 'string' ? metadata.namespace : undefined, name }
}

const LONGEST_QUOTE = 64

/** A value as a message shows it: one short line, whatever the value is. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, LONGEST_QUOTE))
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'an object'
  return String(value)
}
