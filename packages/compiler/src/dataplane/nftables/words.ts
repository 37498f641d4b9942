import { invariant } from '../../internal/invariant.js'
import { utf8Length } from '../../internal/utf8.js'

/** The longest comment that nft lets through. */
export const MAX_COMMENT_BYTES = 128

/** The longest name that the kernel takes. */
export const MAX_NAME_BYTES = 255

/** A control character or line separator. */
export const UNPRINTABLE: RegExp = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Whether nft reads `text` as a name: a letter, `.` or `_`, then letters, digits, `/`, `-`, `_` and `.`. */
export function isName(text: string): boolean {
  return /^[A-Za-z_.][\w/.-]*$/.test(text)
}

/** Whether a name of any program is one word in our text. */
function isOneWord(text: string): boolean {
  return /^[^\s"{};,#\\][^\s"{};,\\]*$/.test(text) && !UNPRINTABLE.test(text)
}

/** A name, which another program may have made through the kernel itself. Throws for one that is not one word. */
export function printName(name: string): string {
  if (!isName(name) && !isOneWord(name)) invariant(false, `${JSON.stringify(name)} cannot be a name in nftables`)
  return name
}

/** A word without quotes that begins, ends and separates nothing. */
export function printWord(word: string): string {
  if (!isOneWord(word)) invariant(false, `${JSON.stringify(word)} cannot be a word of nftables`)
  return word
}

/** Whether nft reads `text` as a type of keys or data. */
export function isType(text: string): boolean {
  return /^\w+$/.test(text)
}

/** The name of a type. Throws for what is none. */
export function printType(type: string): string {
  if (!isType(type)) invariant(false, `${JSON.stringify(type)} cannot be a type in nftables`)
  return type
}

/** Whether nft can be given the text between quotes. It knows no escapes. */
export function isQuotable(text: string): boolean {
  return !text.includes('"') && !UNPRINTABLE.test(text.replaceAll('\t', ' '))
}

/** The text between quotes. Throws for one that has a quote, or a control character but tab. */
export function quote(text: string): string {
  if (!isQuotable(text)) invariant(false, `nft cannot be given ${JSON.stringify(text)}`)
  return `"${text}"`
}

/** Whether a text takes more bytes than that. */
export function isLongerThan(text: string, bytes: number): boolean {
  // There are very many, and few that may be long.
  return text.length * 3 > bytes && utf8Length(text) > bytes
}

/** A mark as nft prints it: `0x00004000`. */
export function markText(mark: number): string {
  if (!Number.isInteger(mark) || mark < 0 || mark > 0xffffffff) invariant(false, `${mark} cannot be a mark`)
  return `0x${mark.toString(16).padStart(8, '0')}`
}

/** A decimal or hexadecimal number of at most 32 bits; undefined for what is none. */
export function readNumber(text: string): number | undefined {
  if (!/^(?:\d{1,10}|0x[0-9a-fA-F]{1,8})$/.test(text)) return undefined
  const value = Number(text)
  return value <= 0xffffffff ? value : undefined
}

/** A count as text. Throws for what is no count. */
export function countText(count: number): string {
  if (!Number.isSafeInteger(count) || count < 0) invariant(false, `${count} cannot be a number in nftables`)
  return String(count)
}
