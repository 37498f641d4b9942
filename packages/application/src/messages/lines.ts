import { escapeControlCharacters } from '@kube-rules/types/internal/escape-control-characters'
import { formatDiagnosticLines } from './diagnostic-lines.js'
import { getSystemErrorCode, getSystemErrorReason, InputError, UsageError } from './errors.js'

/** Formats a number with its noun: `1 error`, `2 errors`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Formats a message on one line of limited length, even if it quotes text that is long or has several lines. */
export function formatMessageLine(text: string): string {
  return cutLine(escapeControlCharacters(text))
}

/** The maximum number of characters in a line. It is needed because names may have any length. */
const LONGEST_LINE = 400

/** Shortens a long line in the middle, because its beginning and end are most important. */
function cutLine(line: string): string {
  const characters = [...line]
  const excess = characters.length - LONGEST_LINE
  if (excess <= 0) return line
  const half = LONGEST_LINE / 2
  return `${characters.slice(0, half).join('')} … ${excess} characters … ${characters.slice(-half).join('')}`
}

/**
 * Prints one of the documents in `documents.ts` with its schema version and kind. Terminal control characters are escaped
 * as in JSON: `\u202e`.
 */
export function printJsonDocument<Document extends { readonly schemaVersion: 1; readonly kind: string }>(
  kind: Document['kind'],
  fields: Omit<Document, 'schemaVersion' | 'kind'>,
): string {
  const lines = JSON.stringify({ schemaVersion: 1, kind, ...fields }, null, 2).split('\n')
  return lines.map((line) => `${escapeControlCharacters(line)}\n`).join('')
}

/** Returns the error lines of a failed command with the name `command`. */
export function formatFailureLines(error: unknown, command?: string): readonly string[] {
  if (error instanceof InputError) {
    return [...formatDiagnosticLines(error.diagnostics), ...error.details, `error: ${error.message}`]
  }
  if (error instanceof UsageError) {
    return [`error: ${error.message}`, `Run 'kube-rules ${command ? `${command} ` : ''}--help' for help.`]
  }
  const isSystem = getSystemErrorCode(error) !== undefined
  return [
    `error: ${isSystem ? 'cannot write the output' : 'this is a bug in kube-rules'}: ${getSystemErrorReason(error)}`,
  ]
}
