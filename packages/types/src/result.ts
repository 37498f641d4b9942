import type { Diagnostic } from './diagnostic.js'

/** The result of a function that returns problems instead of throwing: its value, or all problems. */
export type Result<Value, Problem = Diagnostic> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] }
