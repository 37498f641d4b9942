import { readNumber } from './words.js'

/** All 32 bits. */
export const FULL_MASK = 0xffffffff

/** The hexadecimal form in which kube-proxy writes marks (`%#08x` of Go): eight digits, `0x00004000`. */
export function paddedHex(value: number): string {
  return `0x${value.toString(16).padStart(8, '0')}`
}

/** The hexadecimal form in which the tools print marks: `0x4000`. */
export function shortHex(value: number): string {
  return `0x${value.toString(16)}`
}

/** `VALUE` or `VALUE/MASK`, 32-bit numbers; without a mask all bits count. */
export function readMark(text: string | undefined): { readonly value: number; readonly mask: number } | undefined {
  const [valueText, maskText, ...rest] = text?.split('/') ?? []
  const value = readNumber(valueText, FULL_MASK)
  const mask = maskText === undefined ? FULL_MASK : readNumber(maskText, FULL_MASK)
  return value === undefined || mask === undefined || rest.length > 0 ? undefined : { value, mask }
}
