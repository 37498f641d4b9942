import { count, InputError } from '@kube-rules/application/messages'
import type { Diagnostic } from '@kube-rules/types'

/**
 * Throws InputError, for `--strict`, where one of the diagnostics is an error. `unprinted` are those to be printed with
 * its message; default: all.
 */
export function refuseErrors(diagnostics: readonly Diagnostic[], unprinted = diagnostics): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return
  throw new InputError(`nothing is printed, because of --strict and ${count(errors, 'error')}`, unprinted)
}
