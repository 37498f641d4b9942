import type * as z from 'zod/mini'
import { type Diagnostic, DiagnosticsError } from '../diagnostic.js'
import { issueDiagnostics } from './issue-diagnostics.js'
import { referenceOf } from './untyped.js'

export type ParseResult<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly diagnostics: readonly Diagnostic[] }

/** `value` itself, never a copy, where it fits the schema; every problem it has otherwise. */
export function safeParseWith<T>(schema: z.ZodMiniType<T, T>, kind: string, value: unknown): ParseResult<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return { success: true, data: value as T }
  return { success: false, diagnostics: issueDiagnostics(result.error.issues, referenceOf(kind, value)) }
}

/** As {@link safeParseWith}, but throws a {@link DiagnosticsError}. */
export function parseWith<T>(schema: z.ZodMiniType<T, T>, kind: string, value: unknown): T {
  const result = safeParseWith(schema, kind, value)
  if (!result.success) throw new DiagnosticsError(result.diagnostics)
  return result.data
}
