/** Values that a line can hold. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Logger {
  info(message: string, fields?: Fields): void
  warning(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
}

/** For this many milliseconds, copies of a line are counted instead of written. */
const QUIET = 60_000

/** Maximum number of distinct lines to remember. */
const REMEMBERED = 1_000

/**
 * Writes one JSON object per line. Copies of a line within a minute are only counted; the first copy after that
 * contains the count.
 */
export function createLogger(write: (line: string) => void, now: () => number = Date.now): Logger {
  const last = new Map<string, { at: number; repeated: number }>()
  const log = (level: string, message: string, fields: Fields = {}) => {
    const key = JSON.stringify([level, message, fields])
    const seen = last.get(key)
    const at = now()
    if (seen !== undefined && at - seen.at < QUIET) {
      seen.repeated += 1
      return
    }
    const repeated = seen !== undefined && seen.repeated > 0 ? { repeated: seen.repeated } : {}
    write(`${JSON.stringify({ time: new Date(at).toISOString(), level, message, ...fields, ...repeated })}\n`)
    last.delete(key)
    last.set(key, { at, repeated: 0 })
    const oldest = last.keys().next().value
    if (last.size > REMEMBERED && oldest !== undefined) last.delete(oldest)
  }
  const at = (level: string) => (message: string, fields?: Fields) => log(level, message, fields)
  return { info: at('info'), warning: at('warning'), error: at('error') }
}

/** Returns the text of a thrown value. The text of a YAML error contains no part of the file, which may hold secrets. */
export function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return isYamlError(error) ? describeYamlError(error) : error.message
}

interface YamlError {
  readonly reason: string
  readonly mark?: { readonly line: number; readonly column: number }
}

function isYamlError(error: Error): error is Error & YamlError {
  return error.name === 'YAMLException' && 'reason' in error && typeof error.reason === 'string'
}

function describeYamlError({ reason, mark }: YamlError): string {
  // A reason may quote a name of the file, such as that of an alias.
  const [general = ''] = reason.split(/["'<(!]/)
  const place = mark === undefined ? '' : ` at line ${mark.line + 1}, column ${mark.column + 1}`
  return `invalid YAML: ${general.trim()}${place}`
}
