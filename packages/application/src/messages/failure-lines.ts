import { diagnosticLines } from './diagnostic-lines.js'
import { InputError, systemCode, systemReason, UsageError } from './errors.js'

/** What a command says that fails, `command` by name. */
export function failureLines(error: unknown, command?: string): readonly string[] {
  if (error instanceof InputError) {
    return [...diagnosticLines(error.diagnostics), ...error.details, `error: ${error.message}`]
  }
  if (error instanceof UsageError) {
    return [`error: ${error.message}`, `Run 'kube-rules ${command ? `${command} ` : ''}--help' for help.`]
  }
  const isSystem = systemCode(error) !== undefined
  return [`error: ${isSystem ? 'cannot write the output' : 'this is a bug in kube-rules'}: ${systemReason(error)}`]
}
