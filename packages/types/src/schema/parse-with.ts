import type * as z from 'zod/mini'
import { type Diagnostic, DiagnosticsError } from '../diagnostic.js'
import { issueDiagnostics } from './issue-diagnostics.js'
import { referenceOf } from './untyped.js'

export type ParseResult<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly diagnostics: readonly Diagnostic[] }

/** Validates `value` and returns it, never a copy. Returns all problems if it does not match the schema. */
export function safeParseWith<T>(schema: z.ZodMiniType<T, T>, kind: string, value: unknown): ParseResult<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return { success: true, data: value as T }
  return { success: false, diagnostics: issueDiagnostics(result.error.issues, referenceOf(kind, value)) }
}

/** Validates like {@link safeParseWith}, but throws a {@link DiagnosticsError}. */
export function parseWith<T>(schema: z.ZodMiniType<T, T>, kind: string, value: unknown): T {
  const result = safeParseWith(schema, kind, value)
  if (!result.success) throw new DiagnosticsError(result.diagnostics)
  return result.data
}
