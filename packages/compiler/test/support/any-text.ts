import fc from 'fast-check'

const FIRST_SURROGATE = 0xd800
const SURROGATES = 0x800

/** Any character except surrogates, which are not characters. */
const characters = fc.integer({ min: 0, max: 0x10ffff - SURROGATES }).map(toCharacter, toIndex)

/**
 * Generates the same texts as `fc.string` with the unit `binary`, which first builds a table of all 1.1 million
 * characters: that takes most of a second.
 */
export function anyText(lengths: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ ...lengths, unit: characters })
}

function toCharacter(index: number): string {
  return String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES)
}

/** Inverts `toCharacter`. fast-check expects an error for any other value, and so finds out how to divide a text. */
function toIndex(value: unknown): number {
  const point = typeof value === 'string' ? (value.codePointAt(0) ?? FIRST_SURROGATE) : FIRST_SURROGATE
  const index = point < FIRST_SURROGATE ? point : point - SURROGATES
  if (index < 0 || value !== toCharacter(index)) throw new Error('not one character')
  return index
}
