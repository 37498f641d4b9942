/** Values that a line can hold. */
export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

export interface Logger {
  info(message: string, fields?: Fields): void
  warning(message: string, fields?: Fields): void
  error(message: string, fields?: Fields): void
  /** Writes a line only with at least this verbosity (`--v`). */
  detail(verbosity: number, message: string, fields?: Fields): void
}

/** For this many milliseconds, copies of a line are counted instead of written. */
const QUIET = 60_000

/** Maximum number of distinct lines to remember. */
const REMEMBERED = 1_000

type Level = 'info' | 'warning' | 'error'

export interface LogOptions {
  /** `text` is the format of klog; `json` has the keys of Kubernetes. Default: `text`. */
  readonly format?: string
  /** The highest verbosity of lines to write. Default: 0. */
  readonly verbosity?: number
  readonly now?: () => number
}

/**
 * Writes one line per message in the format of klog or, with the keys `ts`, `msg` and `v`, as JSON. Copies of a line
 * within a minute are only counted; the first copy after that contains the count.
 */
export function createLogger(write: (line: string) => void, options: LogOptions = {}): Logger {
  const { format = 'text', verbosity = 0, now = Date.now } = options
  const formatLine = format === 'json' ? formatJson : formatText
  const last = new Map<string, { at: number; repeated: number }>()
  const log = (level: Level, message: string, fields: Fields = {}, v = 0) => {
    if (v > verbosity) return
    const key = JSON.stringify([level, message, fields])
    const seen = last.get(key)
    const at = now()
    if (seen !== undefined && at - seen.at < QUIET) {
      seen.repeated += 1
      return
    }
    const repeated = seen !== undefined && seen.repeated > 0 ? { repeated: seen.repeated } : {}
    write(`${formatLine(at, level, message, { ...fields, ...repeated }, v)}\n`)
    last.delete(key)
    last.set(key, { at, repeated: 0 })
    const oldest = last.keys().next().value
    if (last.size > REMEMBERED && oldest !== undefined) last.delete(oldest)
  }
  const at = (level: Level) => (message: string, fields?: Fields) => log(level, message, fields)
  return {
    ...{ info: at('info'), warning: at('warning'), error: at('error') },
    detail: (v, message, fields) => log('info', message, fields, v),
  }
}

/** Formats a line like klog: `I1129 14:13:33.000000       7 kube-rules-proxy:1] "listed" kind="Node"`. */
function formatText(at: number, level: Level, message: string, fields: Fields): string {
  const [date = '', time = ''] = new Date(at).toISOString().replace('Z', '000').split('T')
  const header = `${level.charAt(0).toUpperCase()}${date.slice(5).replace('-', '')} ${time}`
  const pairs = Object.entries(fields).filter(([, value]) => value !== undefined)
  const texts = [JSON.stringify(message), ...pairs.map(([name, value]) => `${name}=${JSON.stringify(value)}`)]
  return `${header} ${`${process.pid}`.padStart(7)} kube-rules-proxy:1] ${texts.join(' ')}`
}

/** Formats a line like the JSON format of Kubernetes, in which errors have no verbosity. */
function formatJson(at: number, level: Level, message: string, { error, ...fields }: Fields, v: number): string {
  const own = { ts: at, caller: 'kube-rules-proxy:1', msg: message }
  return JSON.stringify({ ...own, ...(level === 'error' ? {} : { v }), ...fields, err: error })
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
