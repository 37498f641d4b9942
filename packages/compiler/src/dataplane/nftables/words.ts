import { invariant } from '../../internal/invariant.js'

/** The maximum length of a comment in nft. */
export const MAX_COMMENT_BYTES = 128

/** Matches a control character or a line separator. */
export const UNPRINTABLE_CHARACTER: RegExp = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Reports whether nft reads `text` as a name: a letter, `.` or `_`, then letters, digits, `/`, `-`, `_` and `.`. */
export function isValidName(text: string): boolean {
  return /^[A-Za-z_.][\w/.-]*$/.test(text)
}

/** Reports whether a name that another program created is one word in the printed text. */
function isOneWord(text: string): boolean {
  return /^[^\s"{};,#\\][^\s"{};,\\]*$/.test(text) && !UNPRINTABLE_CHARACTER.test(text)
}

/**
 * Formats a name. Another program may have created the name through the kernel interface. Throws if the name is not one
 * word.
 */
export function printName(name: string): string {
  if (!isValidName(name) && !isOneWord(name)) invariant(false, `${JSON.stringify(name)} cannot be a name in nftables`)
  return name
}

/** Formats a word without quotes or separators. */
export function printWord(word: string): string {
  if (!isOneWord(word)) invariant(false, `${JSON.stringify(word)} cannot be a word of nftables`)
  return word
}

/** Reports whether nft accepts `text` as a type of keys or data. */
export function isValidType(text: string): boolean {
  return /^\w+$/.test(text)
}

/** Formats the name of a type. Throws if the name is invalid. */
export function printType(type: string): string {
  if (!isValidType(type)) invariant(false, `${JSON.stringify(type)} cannot be a type in nftables`)
  return type
}

/** Reports whether nft accepts a text as a quoted string. A quoted string cannot contain escapes. */
export function isQuotable(text: string): boolean {
  return !text.includes('"') && !UNPRINTABLE_CHARACTER.test(text.replaceAll('\t', ' '))
}

/** Quotes a string. Throws if the string contains a quote, or a control character other than tab. */
export function quoteText(text: string): string {
  if (!isQuotable(text)) invariant(false, `nft does not accept ${JSON.stringify(text)}`)
  return `"${text}"`
}

/** Formats a mark like nft: `0x00004000`. */
export function formatMark(mark: number): string {
  if (!Number.isInteger(mark) || mark < 0 || mark > 0xffffffff) invariant(false, `${mark} cannot be a mark`)
  return `0x${mark.toString(16).padStart(8, '0')}`
}

/** Parses a decimal or hexadecimal number of at most 32 bits. Returns undefined if the number is invalid. */
export function parseNumber(text: string): number | undefined {
  if (!/^(?:\d{1,10}|0x[0-9a-fA-F]{1,8})$/.test(text)) return undefined
  const value = Number(text)
  return value <= 0xffffffff ? value : undefined
}

/** Formats a count. Throws if the count is invalid. */
export function formatCounterValue(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0) invariant(false, `${count} cannot be a number in nftables`)
  return String(count)
}

/**
 * Reports whether a word is a keyword, which nft rejects as an interface name without quotes. The keywords are the
 * words that nft 1.0.6 rejects in `nft add rule … iifname WORD`.
 */
export function isKeyword(word: string): boolean {
  return KEYWORDS.has(word)
}

const KEYWORDS: ReadonlySet<string> = new Set(
  `
  accept add ah all and auto-merge bridge cgroup chain comment constant continue counter cpu create ct day dccp
  define delete describe device devices drop dst dup dynamic element elements eq esp exists expires export exthdr
  fib flags flow flowtable flush frag fwd gc-interval ge get goto gt handle hbh hook hour ibriport ibrname icmp
  icmpv6 igmp iif iifgroup iifname iiftype import include index inet insert ipsec jhash jump le limit list log
  lshift lt map mark masquerade meta meter mh missing monitor ne netdev nftrace not notrack numgen offload oif
  oifgroup oifname oiftype or osf parameter-problem pkttype policy priority queue quota random redefine redirect
  reject rename replace return rt rt0 rt2 rtclassid rule ruleset sctp secmark set shutdown-complete size skgid
  skuid socket srh symhash synproxy table tcp time timeout tproxy type typeof udp udplite undefine update vmap xor
  xt
`.match(/\S+/g),
)
