/** Time of the last endpoint change per Service, by namespace and name (`default/web`): RFC 3339, in UTC. */
export type LastEndpointChanges = ReadonlyMap<string, string>

/** Converts a UTC time to seconds since the beginning of 1970; undefined for an invalid time. */
export function toUnixSeconds(time: unknown): number | undefined {
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d+)?Z$/.exec(typeof time === 'string' ? time : '') ?? []
  if (second === undefined) return undefined
  const days = daysSince1970(Number(year), Number(month), Number(day))
  return ((days * 24 + Number(hour)) * 60 + Number(minute)) * 60 + Number(second)
}

/** Counts days in the Gregorian calendar. Years start in March here, so that a leap day is the last day of a year. */
function daysSince1970(year: number, month: number, day: number): number {
  const years = month > 2 ? year : year - 1
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400)
  const days = Math.floor((153 * ((month + 9) % 12) + 2) / 5)
  return years * 365 + leapDays + days + day - 719_469
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const

/** Formats an age in the largest unit that fits, as a whole number: `3 days`. Undefined for less than a minute. */
export function formatAge(seconds: number): string | undefined {
  const unit = UNITS.find(([, length]) => seconds >= length)
  if (unit === undefined) return undefined
  const number = Math.floor(seconds / unit[1])
  return number === 1 ? `1 ${unit[0]}` : `${number} ${unit[0]}s`
}
