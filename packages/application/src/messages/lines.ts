import { escapeControls } from '@kube-rules/types'
import { diagnosticLines } from './diagnostic-lines.js'
import { InputError, systemCode, systemReason, UsageError } from './errors.js'

/** `1 error`, `2 errors`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** A message as it is printed: on one line and not too long, whatever it quotes. */
export function messageLine(text: string): string {
  return cutLine(escapeControls(text))
}

/** How many characters a line may have before it is cut: names may be of any length. */
const LONGEST_LINE = 400

/** A long line without its middle: what it is about stands at its ends. */
function cutLine(line: string): string {
  const characters = [...line]
  const excess = characters.length - LONGEST_LINE
  if (excess <= 0) return line
  const half = LONGEST_LINE / 2
  return `${characters.slice(0, half).join('')} … ${excess} characters … ${characters.slice(-half).join('')}`
}

/** One JSON document, with its version. What a terminal would obey is written as JSON has it: `\u202e`. */
export function jsonDocument(fields: object): string {
  const lines = JSON.stringify({ schemaVersion: 1, ...fields }, null, 2).split('\n')
  return lines.map((line) => `${escapeControls(line)}\n`).join('')
}

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
