import { type IpFamily, parseIp } from '@kube-rules/types'

/** Plain data with numbers in place of addresses and of names of its own. */
export interface ShapeText {
  /** The same of two values if and only if one becomes the other when their addresses and names are exchanged. */
  readonly text: string
  /** Each once, in the order in which they come: `$0` in the text is the first. */
  readonly addresses: readonly string[]
  /** Networks and ranges, which stand in the text as they are. */
  readonly networks: readonly string[]
}

/** Addresses with what may follow them: the length of a network, or the end of a range. */
const ADDRESSES: Readonly<Record<IpFamily, RegExp>> = {
  IPv4: /\d+\.\d+\.\d+\.\d+(?:\/\d+|-\d+\.\d+\.\d+\.\d+)?/g,
  IPv6: /[\da-f]*:[\da-f:.]*(?:\/\d+|-[\da-f]*:[\da-f:.]*)?/gi,
}

/** Every address has it. */
const SIGNS: Readonly<Record<IpFamily, string>> = { IPv4: '.', IPv6: ':' }

const HOST_LENGTHS: Readonly<Record<IpFamily, string>> = { IPv4: '/32', IPv6: '/128' }

/** What words are parted by, and what stands before a text and before one of several lines, so that none is taken for another. */
const [BETWEEN, TEXT, LINES] = ['\n', '"', "'"]

type Fields = Readonly<Record<string, unknown>>

/** What is said to people is left out: fields and matches of the name `comment`, and `owner`. */
export function shapeText(value: unknown, family: IpFamily, names: readonly string[] = []): ShapeText {
  const addresses = new Map<string, number>()
  const networks = new Set<string>()
  const ownNames = new Map(names.map((name, index) => [name, `#${index}`]))
  let written = ''
  const [pattern, sign] = [ADDRESSES[family], SIGNS[family]]
  const put = (word: string): void => {
    written += word + BETWEEN
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
    // Plain data has no fields but its own; an entry for each would cost more than all else.
    for (const name in fields) {
      const field = fields[name]
      if (name === 'comment' || name === 'owner' || field === undefined) continue
      put(name)
      write(field)
    }
    put('}')
  }
  /** Most texts have no address, and need no search. */
  const withNumbers = (text: string): string => {
    const told = text.includes(sign) ? text.replace(pattern, numbered) : text
    return told.includes(BETWEEN) ? LINES + JSON.stringify(told) : TEXT + told
  }
  const numbered = (text: string): string => {
    const isHost = text.endsWith(HOST_LENGTHS[family])
    const address = isHost ? text.slice(0, -HOST_LENGTHS[family].length) : text
    if (!isHost && /[/-]/.test(text)) {
      networks.add(text)
      return text
    }
    const known = addresses.get(address)
    if (known === undefined && parseIp(address)?.text !== address) return text
    const number = known ?? addresses.size
    if (known === undefined) addresses.set(address, number)
    return `$${number}${isHost ? HOST_LENGTHS[family] : ''}`
  }
  write(value)
  return { text: written, addresses: [...addresses.keys()], networks: [...networks] }
}
