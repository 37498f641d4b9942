import { invariant } from '../../../internal/invariant.js'
import { elementAt } from '../../../internal/known-items.js'
import { canonicalizeProtocol } from '../../netfilter/protocols.js'
import { canJoinWords } from '../parse/unknown-words.js'
import { formatMark, isKeyword, isValidName, parseNumber, quoteText } from '../words.js'

const SEPARATOR = ' . '

/** Splits a key into components. */
export function splitConcatenation(key: string): readonly string[] {
  return key.split(SEPARATOR)
}

export function joinConcatenation(parts: readonly string[]): string {
  return parts.length === 1 ? elementAt(parts, 0) : parts.join(SEPARATOR)
}

/** The types with several notations for a value. */
const SPELLED_TYPES: ReadonlySet<string> = new Set(['mark', 'inet_proto', 'iface_index', 'ifname'])

/** Reports whether the values of all of these types have only one notation. */
export function haveSingleNotation(types: readonly string[]): boolean {
  for (const type of types) if (SPELLED_TYPES.has(type)) return false
  return true
}

/**
 * Converts a value to the canonical notation of its type: marks with eight digits, protocols by name, and interface
 * names without quotes.
 */
export function canonicalizeKeyComponent(word: string, type: string): string {
  switch (type) {
    case 'mark':
      return canonicalizeMark(word)
    case 'inet_proto':
      return canonicalizeProtocol(word)
    case 'ifname':
    case 'iface_index':
      return isQuoted(word) ? word.slice(1, -1) : word
    default:
      return word
  }
}

/** Reports whether a word is one quoted text, rather than two quoted texts with other text between them. */
function isQuoted(word: string): boolean {
  return word.length > 1 && word.startsWith('"') && word.indexOf('"', 1) === word.length - 1
}

/** Converts marks such as `0x10`, `0x10-0x1f` or `0x80000000/1` to canonical notation. */
function canonicalizeMark(word: string): string {
  const dash = word.indexOf('-')
  if (dash > 0) return `${canonicalizeMark(word.slice(0, dash))}-${canonicalizeMark(word.slice(dash + 1))}`
  const slash = word.indexOf('/')
  const number = parseNumber(slash < 0 ? word : word.slice(0, slash))
  if (number === undefined) return word
  return formatMark(number) + (slash < 0 ? '' : word.slice(slash))
}

/** Reports whether values of this type are interface names, which are quoted. */
export function isInterfaceType(type: string | undefined): boolean {
  return type === 'ifname' || type === 'iface_index'
}

/**
 * Formats a key. Throws for a component that is not one word. If `isListed` is true, the notation is that of nft
 * output; otherwise it is that of kube-proxy input.
 */
export function printKey(key: string, types: readonly string[], isListed: boolean): string {
  if (isPlainKey(key) && !types.some(isInterfaceType)) return key
  return joinConcatenation(splitConcatenation(key).map((part, index) => printPart(part, types[index], isListed)))
}

function printPart(part: string, type: string | undefined, isListed: boolean): string {
  if (isInterfaceType(type) && !part.includes('"')) return isListed || !isInterfaceWord(part) ? quoteText(part) : part
  if (!isPlainPart(part)) invariant(isForeignPart(part), `${JSON.stringify(part)} cannot be a key in nftables`)
  return part
}

/**
 * Reports whether nft reads a key component of a foreign set as one word. Braces, commas and semicolons may occur only
 * within quotes.
 */
function isForeignPart(part: string): boolean {
  return isSingleValue(part) && !/[{},;]/.test(part.replace(/"[^"]*"/g, '')) && canJoinWords([part])
}

/**
 * Reports whether nft reads text as one value of a key. If there are quotes, they must enclose the whole value, or one
 * end of a range: nft reads `"a"b` and `a-"b"` as two words. A value must not contain ` . `, even in quotes, because
 * this separates the components of a key.
 */
export function isSingleValue(part: string): boolean {
  if (part.includes(SEPARATOR)) return false
  return !part.includes('"') || /^"[^"]*"(?:-(?:"[^"]*"|[^"]+))?$/.test(part)
}

/** Reports whether an interface name needs no quotes. The name may end with `*`. */
function isInterfaceWord(name: string): boolean {
  return isValidName(name.endsWith('*') ? name.slice(0, -1) : name) && !isKeyword(name)
}

function isPlainPart(part: string): boolean {
  return /^[\w./:*@[\]~+-]+$/.test(part)
}

/** Reports whether a key consists only of addresses, numbers and names. This is a fast path, because nearly all keys do. */
function isPlainKey(key: string): boolean {
  return /^[\w./:*@[\]~+-]+(?: \. [\w./:*@[\]~+-]+)*$/.test(key)
}
