import type * as z from 'zod/mini'
import type { Diagnostic } from '../diagnostic.js'
import type { Result } from '../result.js'
import { issuesToDiagnostics } from './issue-diagnostics.js'
import { createUnreadableDiagnostic, referenceOf } from './untyped.js'

/**
 * Validates `value` and returns it, never a copy. Returns all problems if `value` does not match the schema. Returns
 * one problem if `value` throws when it is read. For an invalid value, `findMore` returns problems that the schema does
 * not detect.
 */
export function safeParseWith<T>(
  schema: z.ZodMiniType<T, T>,
  kind: string,
  value: unknown,
  findMore: (value: unknown) => readonly Diagnostic[] = () => [],
): Result<T> {
  try {
    const result = schema.safeParse(value, { reportInput: true })
    if (result.success) return { ok: true, value: value as T }
    const problems = issuesToDiagnostics(result.error.issues, referenceOf(kind, value))
    return { ok: false, problems: [...problems, ...findMore(value)] }
  } catch {
    return { ok: false, problems: [createUnreadableDiagnostic({ kind, name: '' })] }
  }
}
