const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
}

/** Parses a Go duration such as `1m30s` to milliseconds; returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/gy)]
  if (text === '0') return 0
  if (text === '' || parts.map(([part]) => part).join('') !== text) return undefined
  return parts.reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNITS[unit] ?? 0), 0)
}

/** Returns the milliseconds of a field of the configuration. Zero or a missing value means the default. */
export function durationOr(field: string | null | undefined, standard: number): number {
  return parseDuration(field ?? '') || standard
}
