import { parseNumber } from './words.js'

/** A mask of all 32 bits. */
export const FULL_MASK = 0xffffffff

/** Formats a mark with eight digits, like kube-proxy (`%#08x` in Go): `0x00004000`. */
export function formatPaddedHex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`
}

/** Formats a mark like the tools: `0x4000`. */
export function formatHex(value: number): string {
  return `0x${value.toString(16)}`
}

/** Parses `VALUE` or `VALUE/MASK`. Both are 32-bit numbers. Without `MASK`, the mask has all bits. */
export function parseMark(text: string | undefined): { readonly value: number; readonly mask: number } | undefined {
  const [valueText, maskText, ...rest] = text?.split('/') ?? []
  const value = parseNumber(valueText, FULL_MASK)
  const mask = maskText === undefined ? FULL_MASK : parseNumber(maskText, FULL_MASK)
  return value === undefined || mask === undefined || rest.length > 0 ? undefined : { value, mask }
}
