import type { IpFamily } from '@kube-rules/types'
import { parseIp } from '@kube-rules/types/internal/ip'

/** The text of a value, with numbers in place of its addresses, node ports, and the chain and set names that it owns. */
export interface NormalizedTemplate {
  /**
   * The normalized text. Two values have the same text if and only if substitution of addresses, node ports and names
   * converts one value to the other.
   */
  readonly text: string
  /** Distinct addresses in order of appearance. `$0` in the text represents the first address. */
  readonly addresses: readonly string[]
  /** Distinct node ports in order of appearance. `%0` in the text represents the first node port. */
  readonly nodePorts: readonly number[]
  /** Networks and address ranges. They appear unchanged in the text. */
  readonly networks: readonly string[]
  /** Addresses in a non-canonical notation. They appear unchanged in the text. */
  readonly otherNotations: readonly string[]
}

/** Matches addresses, each optionally followed by a prefix length or by the end of a range. */
const ADDRESSES: Readonly<Record<IpFamily, RegExp>> = {
  IPv4: /(?<!\d)\d+\.\d+\.\d+\.\d+(?:\/\d+|-\d+\.\d+\.\d+\.\d+)?/g,
  IPv6: /(?:(?<![\da-f])[\da-f]+)?:[\da-f:.]*(?:\/\d+|-[\da-f]*:[\da-f:.]*)?/gi,
}

/** Matches numbers that may be node ports. */
const NODE_PORTS = /(?<![\w.$#])3\d{4}(?![\w.])/g

/** A character that every address of the family contains. */
const SIGNS: Readonly<Record<IpFamily, string>> = { IPv4: '.', IPv6: ':' }

const HOST_LENGTHS: Readonly<Record<IpFamily, string>> = { IPv4: '/32', IPv6: '/128' }

/**
 * The word separator, and the prefixes of single-line and multi-line strings. The prefixes make the encoding
 * unambiguous.
 */
const [BETWEEN, TEXT, LINES] = ['\n', '"', "'"]

type Fields = Readonly<Record<string, unknown>>

/** The words of a value that `normalizeTemplate` handles in another way than other words. */
export interface TemplateWords {
  /** The names that get a number. */
  readonly names?: readonly string[] | undefined
  /** The ports that get a number. */
  readonly nodePorts?: ReadonlySet<number> | undefined
  /** Addresses that stay unchanged. */
  readonly fixed?: ReadonlySet<string> | undefined
}

/**
 * Normalizes a value. Skips fields named `comment` or `owner`, and matches of the kind `comment`, because they do not
 * affect packets.
 */
export function normalizeTemplate(
  value: unknown,
  family: IpFamily,
  { names = [], nodePorts: known, fixed }: TemplateWords = {},
): NormalizedTemplate {
  const addresses = new Map<string, number>()
  const nodePorts = new Map<number, number>()
  const networks = new Set<string>()
  const otherNotations = new Set<string>()
  const ownNames = new Map(names.map((name, index) => [name, `#${index}`]))
  let written = ''
  const [pattern, sign] = [ADDRESSES[family], SIGNS[family]]
  const put = (word: string): void => {
    written += (known === undefined ? word : word.replace(NODE_PORTS, withNumber)) + BETWEEN
  }
  const withNumber = (text: string): string => {
    const port = Number(text)
    if (!known?.has(port)) return text
    const number = nodePorts.get(port) ?? nodePorts.size
    nodePorts.set(port, number)
    return `%${number}`
  }
  const write = (part: unknown): void => {
    if (typeof part === 'string') put(ownNames.has(part) ? TEXT + ownNames.get(part) : withNumbers(part))
    else if (Array.isArray(part)) {
      put('[')
      for (const item of part) write(item)
      put(']')
    } else if (typeof part === 'object' && part !== null) writeFields(part as Fields)
    else put(String(part))
  }
  const writeFields = (fields: Fields): void => {
    if (fields.kind === 'comment') return
    put('{')
    // A `for…in` loop is safe, because the values are plain data without inherited fields. `Object.entries` would take
    // most of the time.
    for (const name in fields) {
      const field = fields[name]
      if (name === 'comment' || name === 'owner' || field === undefined) continue
      put(name)
      write(field)
    }
    put('}')
  }
  /** Most strings contain no address and need no search. */
  const withNumbers = (text: string): string => {
    const normalized = text.includes(sign) ? text.replace(pattern, numbered) : text
    return normalized.includes(BETWEEN) ? LINES + JSON.stringify(normalized) : TEXT + normalized
  }
  const numbered = (text: string): string => {
    const isHost = text.endsWith(HOST_LENGTHS[family])
    const address = isHost ? text.slice(0, -HOST_LENGTHS[family].length) : text
    if (!isHost && /[/-]/.test(text)) {
      networks.add(text)
      return text
    }
    if (fixed?.has(address)) return text
    const existing = addresses.get(address)
    if (existing === undefined && parseIp(address)?.text !== address) {
      otherNotations.add(parseIp(address)?.text ?? '')
      return text
    }
    const number = existing ?? addresses.size
    if (existing === undefined) addresses.set(address, number)
    return `$${number}${isHost ? HOST_LENGTHS[family] : ''}`
  }
  write(value)
  otherNotations.delete('')
  return {
    text: written,
    addresses: [...addresses.keys()],
    nodePorts: [...nodePorts.keys()],
    networks: [...networks],
    otherNotations: [...otherNotations],
  }
}
