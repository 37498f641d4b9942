import type { Diagnostic } from '@kube-rules/types'

/** An error in the command line. The exit code is 2, and the output has a hint to `--help`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An error for unreadable input, or for input that allows no output. The exit code is 2. */
export class InputError extends Error {
  override readonly name = 'InputError'
  /** Diagnostics to print before the message. */
  readonly diagnostics: readonly Diagnostic[]
  /** Lines to print between the diagnostics and the message. */
  readonly details: readonly string[]

  constructor(message: string, diagnostics: readonly Diagnostic[] = [], details: readonly string[] = []) {
    super(message)
    this.diagnostics = diagnostics
    this.details = details
  }
}

/**
 * Returns the operating system code of an error, such as `ENOENT`. Undefined for any other error, including Node.js
 * errors with an `ERR_…` code.
 */
export function getSystemErrorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** Extracts `no such file or directory` from `ENOENT: no such file or directory, open 'x'`. */
export function getSystemErrorReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /^[A-Z][A-Z0-9_]*: ([^,]+)/.exec(message)?.[1] ?? message
}
