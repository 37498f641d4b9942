import type { Diagnostic } from '@kube-rules/types'

/** The command line itself is wrong. Ends with exit code 2 and a hint to `--help`. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The input cannot be read, or nothing may be printed for it. Ends with exit code 2. */
export class InputError extends Error {
  override readonly name = 'InputError'
  /** Printed before the message. */
  readonly diagnostics: readonly Diagnostic[]
  /** Lines that are printed between these and the message. */
  readonly details: readonly string[]

  constructor(message: string, diagnostics: readonly Diagnostic[] = [], details: readonly string[] = []) {
    super(message)
    this.diagnostics = diagnostics
    this.details = details
  }
}

/** The operating system's code of an error, such as `ENOENT`; undefined for any other error, `ERR_…` of Node included. */
export function systemCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : undefined
}

/** `no such file or directory` out of `ENOENT: no such file or directory, open 'x'`. */
export function systemReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return /^[A-Z][A-Z0-9_]*: ([^,]+)/.exec(message)?.[1] ?? message
}
