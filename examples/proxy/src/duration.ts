const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Returns the milliseconds of a duration of Go such as `1m30s`, and undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined
  let sum = 0
  for (const [, number, unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) {
    sum += Number(number) * (UNITS[unit] ?? 0)
  }
  return sum
}

/** Returns the milliseconds of a field of the configuration. Zero and a missing value stand for the default. */
export function durationOr(field: string | null | undefined, standard: number): number {
  return parseDuration(field ?? '') || standard
}
