import type { Diagnostic } from '@kube-rules/types'
import { InputError } from '../errors.js'
import { count } from './count.js'

/** Throws InputError, for `--strict`, where one of the diagnostics is an error. */
export function refuseErrors(diagnostics: readonly Diagnostic[]): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length
  if (errors === 0) return
  throw new InputError(`nothing is printed, because of --strict and ${count(errors, 'error')}`, diagnostics)
}
