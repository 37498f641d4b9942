import { invariant } from '../../../internal/invariant.js'
import { canonicalProtocol } from '../../netfilter/protocols.js'
import { isKept } from '../parse/unknown-words.js'
import { isName, markText, quote, readNumber } from '../words.js'

const SEPARATOR = ' . '

/** The parts of a key. */
export function partsOf(key: string): readonly string[] {
  return key.split(SEPARATOR)
}

export function joinParts(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] as string) : parts.join(SEPARATOR)
}

/** The types whose values have one spelling in a set and another elsewhere. */
const SPELLED_TYPES: ReadonlySet<string> = new Set(['mark', 'inet_proto', 'iface_index', 'ifname'])

/** Whether values of none of these types are spelled in two ways. */
export function areSpelledAlike(types: readonly string[]): boolean {
  for (const type of types) if (SPELLED_TYPES.has(type)) return false
  return true
}

/** The one spelling of a value of this type: marks in eight digits, protocols by name, names of interfaces bare. */
export function spellPart(word: string, type: string): string {
  switch (type) {
    case 'mark':
      return spellMark(word)
    case 'inet_proto':
      return canonicalProtocol(word)
    case 'ifname':
    case 'iface_index':
      return isQuoted(word) ? word.slice(1, -1) : word
    default:
      return word
  }
}

/** Whether a word is one text in quotes, and not two with something between. */
function isQuoted(word: string): boolean {
  return word.length > 1 && word.startsWith('"') && word.indexOf('"', 1) === word.length - 1
}

/** `0x10`, `0x10-0x1f` or `0x80000000/1`. */
function spellMark(word: string): string {
  const dash = word.indexOf('-')
  if (dash > 0) return `${spellMark(word.slice(0, dash))}-${spellMark(word.slice(dash + 1))}`
  const slash = word.indexOf('/')
  const number = readNumber(slash < 0 ? word : word.slice(0, slash))
  if (number === undefined) return word
  return markText(number) + (slash < 0 ? '' : word.slice(slash))
}

/** Whether values of this type are names of interfaces, which stand in quotes. */
export function isInterface(type: string | undefined): boolean {
  return type === 'ifname' || type === 'iface_index'
}

/** A key as text: throws for a part that is not one word. `isListed`: as nft prints it, otherwise as kube-proxy writes it. */
export function printKey(key: string, types: readonly string[], isListed: boolean): string {
  if (isPlainKey(key) && !types.some(isInterface)) return key
  return joinParts(partsOf(key).map((part, index) => printPart(part, types[index], isListed)))
}

function printPart(part: string, type: string | undefined, isListed: boolean): string {
  if (isInterface(type) && !part.includes('"')) return isListed || !isInterfaceWord(part) ? quote(part) : part
  if (!isPlainPart(part)) invariant(isForeignPart(part), `${JSON.stringify(part)} cannot be a key in nftables`)
  return part
}

/** Whether a part of another program's set stays one word and separates nothing: in quotes nothing does. */
function isForeignPart(part: string): boolean {
  return isOneValue(part) && !/[{},;]/.test(part.replace(/"[^"]*"/g, '')) && isKept([part])
}

/** Whether quotes, if there are any, hold a value or an end of a range as a whole: nft reads `"a"b` and `a-"b"` as two words. */
export function isOneValue(part: string): boolean {
  return !part.includes('"') || /^"[^"]*"(?:-(?:"[^"]*"|[^"]+))?$/.test(part)
}

/** Whether a name of an interface, which may end in `*`, needs no quotes. */
function isInterfaceWord(name: string): boolean {
  return isName(name.endsWith('*') ? name.slice(0, -1) : name)
}

function isPlainPart(part: string): boolean {
  return /^[\w./:*@[\]~+-]+$/.test(part)
}

/** Whether the key is made of addresses, numbers and names only: nearly all are, and there are very many. */
function isPlainKey(key: string): boolean {
  return /^[\w./:*@[\]~+-]+(?: \. [\w./:*@[\]~+-]+)*$/.test(key)
}
