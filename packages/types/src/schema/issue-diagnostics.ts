import type * as z from 'zod/mini'
import type { Diagnostic, DiagnosticCode, ObjectReference } from '../diagnostic.js'
import { describeValue } from './untyped.js'

const CODE_OF_FIELD: ReadonlyMap<PropertyKey, DiagnosticCode> = new Map([
  ['name', 'invalidName'],
  ['namespace', 'invalidName'],
  ['port', 'invalidPort'],
  ['nodePort', 'invalidPort'],
  ['healthCheckNodePort', 'invalidPort'],
  ['protocol', 'invalidProtocol'],
])

/** Converts zod issues to diagnostics about `object`, one per path. The issues must include their input. */
export function issuesToDiagnostics(
  issues: readonly z.core.$ZodIssue[],
  object: ObjectReference,
): readonly Diagnostic[] {
  const byPath = new Map<string, Diagnostic>()
  for (const issue of issues) {
    const path = formatPath(issue.path)
    if (!byPath.has(path)) byPath.set(path, issueDiagnostic(issue, object, path))
  }
  return [...byPath.values()]
}

function issueDiagnostic(issue: z.core.$ZodIssue, object: ObjectReference, path: string): Diagnostic {
  return {
    severity: 'error',
    code: codeOf(issue),
    object,
    path: path === '' ? undefined : path,
    message: messageOf(issue),
    expected: issue.message.replace(/^expected /, ''),
  }
}

function codeOf(issue: z.core.$ZodIssue): DiagnosticCode {
  if (issue.input === undefined) return 'missingField'
  if (issue.code === 'invalid_type' && issue.expected !== 'int') return 'invalidType'
  return CODE_OF_FIELD.get(issue.path.at(-1) ?? '') ?? 'invalidValue'
}

function messageOf(issue: z.core.$ZodIssue): string {
  const { input } = issue
  if (input === undefined) return 'missing'
  // YAML 1.1 reads these words as booleans, YAML 1.2 as text.
  const isWord = typeof input === 'string' && /^(?:yes|no|on|off)$/i.test(input)
  if (isWord && issue.code === 'invalid_type' && issue.expected === 'boolean') {
    return `expected boolean, got the word ${input}`
  }
  return `got ${describeValue(input)}`
}

/** Formats a path: `spec.ports[1].port`. Quotes keys that are not plain words: `metadata.labels["a/b"]`. */
function formatPath(path: readonly PropertyKey[]): string {
  return path.map(formatPathKey).join('').replace(/^\./, '')
}

function formatPathKey(key: PropertyKey): string {
  if (typeof key === 'number') return `[${key}]`
  const text = String(key)
  return /^[\w-]+$/.test(text) ? `.${text}` : `[${JSON.stringify(text)}]`
}
