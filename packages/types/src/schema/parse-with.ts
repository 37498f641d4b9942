import type * as z from 'zod/mini'
import { DiagnosticsError } from '../diagnostic.js'
import type { Result } from '../result.js'
import { issuesToDiagnostics } from './issue-diagnostics.js'
import { referenceOf } from './untyped.js'

/** Validates `value` and returns it, never a copy. Returns all problems if it does not match the schema. */
export function safeParseWith<T>(schema: z.ZodMiniType<T, T>, kind: string, value: unknown): Result<T> {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return { ok: true, value: value as T }
  return { ok: false, problems: issuesToDiagnostics(result.error.issues, referenceOf(kind, value)) }
}

/** Validates like {@link safeParseWith}, but throws a {@link DiagnosticsError}. */
export function parseWith<T>(schema: z.ZodMiniType<T, T>, kind: string, value: unknown): T {
  const result = safeParseWith(schema, kind, value)
  if (!result.ok) throw new DiagnosticsError(result.problems)
  return result.value
}
