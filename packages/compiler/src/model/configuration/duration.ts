/** The number of milliseconds of each unit. */
const MILLISECONDS = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}

const NUMBER = '(?:\\d+(?:\\.\\d*)?|\\.\\d+)'
const UNIT = `(?:${Object.keys(MILLISECONDS).join('|')})`
const DURATION = new RegExp(`^([-+]?)((?:${NUMBER}${UNIT})+)$`)
const PART = new RegExp(`(${NUMBER})(${UNIT})`, 'gy')

/** The maximum length of a duration. Longer text is rejected, to limit the time and the stack size of parsing. */
const LONGEST_TEXT = 1000

/** The limit of a Go duration, in milliseconds. Go stores nanoseconds in 63 bits. */
const LONGEST = 2 ** 63 * 1e-6

/**
 * Parses a Go duration such as `1h15m30.5s`, `-1.5h`, `300ms` or `0`. Returns milliseconds, with a fraction if needed.
 * Returns undefined if `text` is invalid. A number without a unit is invalid unless the number is 0. Mirrors
 * `time.ParseDuration`.
 */
export function parseDuration(text: string): number | undefined {
  if (text.length > LONGEST_TEXT) return undefined
  if (/^[-+]?0$/.test(text)) return 0
  const [, sign, parts] = DURATION.exec(text) ?? []
  if (parts === undefined) return undefined
  const total = [...parts.matchAll(PART)].reduce((sum, part) => sum + millisecondsOf(part), 0)
  if (total >= LONGEST) return undefined
  return sign === '-' && total > 0 ? -total : total
}

function millisecondsOf([, count, unit]: RegExpExecArray): number {
  return Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS]
}

/** Formats a duration in seconds: `1.5s`. */
export function formatSeconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`
}
