/**
 * Formats an entry as `ipset save` lists it: addresses in their shortest spelling, networks without host bits, and a
 * single-address network without length. Independent of the library.
 */
export function listedEntry(entry: string): string {
  return entry
    .toLowerCase()
    .split(',')
    .map((word) => (/^[\da-f:]*:[\da-f:]*(?:\/\d+)?$|^[\d.]+\.\d+(?:\/\d+)?$/.test(word) ? listedNetwork(word) : word))
    .join(',')
}

function listedNetwork(word: string): string {
  const [address = '', length] = word.split('/')
  const [width, parts] = address.includes(':')
    ? ([16, groupsOf(address)] as const)
    : ([8, address.split('.').map(Number)] as const)
  const all = width * parts.length
  const kept = length === undefined ? all : Number(length)
  const masked = parts.map(
    (part, place) => part - (part % 2 ** Math.min(width, Math.max(0, (place + 1) * width - kept))),
  )
  const text = width === 16 ? shortest(masked) : masked.join('.')
  return kept === all ? text : `${text}/${kept}`
}

/** Returns the eight numbers of an IPv6 address. */
function groupsOf(address: string): readonly number[] {
  const [front = [], back = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''))
  const zeros = address.includes('::') ? Array.from({ length: 8 - front.length - back.length }, () => '0') : []
  return [...front, ...zeros, ...back].map((group) => Number.parseInt(group, 16))
}

/** Formats groups with `::` for the first of the longest runs of two or more zeros. */
function shortest(groups: readonly number[]): string {
  const text = groups.map((group) => group.toString(16)).join(':')
  const runs = [...text.matchAll(/(?<![\da-f])0(?::0)+(?![\da-f])/g)].sort((a, b) => b[0].length - a[0].length)
  const run = runs[0]
  if (run === undefined) return text
  const [before, after] = [text.slice(0, run.index), text.slice(run.index + run[0].length)]
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`
}
