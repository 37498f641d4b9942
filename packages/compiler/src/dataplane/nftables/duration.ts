import { invariant } from '../../internal/invariant.js'

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
  ['ms', 1],
]

/** Formats a duration like nft: `3h`, `1m40s`, `4s996ms`. Throws for an invalid number of milliseconds. */
export function formatNftDuration(milliseconds: number): string {
  const isCount = Number.isSafeInteger(milliseconds) && milliseconds >= 0
  if (!isCount) invariant(false, `${milliseconds} ms cannot be a time in nftables`)
  let rest = milliseconds
  let text = ''
  for (const [unit, length] of UNITS) {
    const count = Math.floor(rest / length)
    if (count > 0) text += `${count}${unit}`
    rest -= count * length
  }
  return text === '' ? '0s' : text
}

/** Formats a duration like kube-proxy: `10800s`. */
export function formatKubeProxyDuration(milliseconds: number): string {
  return milliseconds % 1000 === 0 ? `${milliseconds / 1000}s` : formatNftDuration(milliseconds)
}

/**
 * Parses a duration: `3h`, `1m40s`, or `30`, which means seconds. Returns milliseconds. Returns undefined for an
 * invalid duration.
 */
export function parseDuration(text: string): number | undefined {
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000
  let rest = text
  let milliseconds = 0
  for (const [unit, length] of UNITS) {
    const digits = /^\d{1,12}/.exec(rest)?.[0] ?? ''
    if (
      digits === '' ||
      !rest.startsWith(unit, digits.length) ||
      (unit === 'm' && rest.startsWith('ms', digits.length))
    ) {
      continue
    }
    milliseconds += Number(digits) * length
    rest = rest.slice(digits.length + unit.length)
  }
  return rest === '' && text !== '' ? milliseconds : undefined
}
