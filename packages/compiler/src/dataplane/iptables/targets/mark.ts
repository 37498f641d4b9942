import type { MarkTarget } from '../ast.js'
import { FULL_MASK, formatHex, formatPaddedHex, parseMark } from '../mark.js'
import { consumeWord, type WordCursor } from '../words.js'
import type { TargetPrinter } from './operations.js'

/** `-j MARK` with `--or-mark` or `--xor-mark`, or with `--set-xmark` for all other values. */
export const markTargetPrinter: TargetPrinter<MarkTarget> = {
  print: (target, style) => {
    const hex = style === 'restore' ? formatPaddedHex : formatHex
    const text = `-j MARK --${markOption(target)} ${hex(target.value)}`
    return target.operation === 'set-xmark' ? `${text}/${hex(target.mask ?? FULL_MASK)}` : text
  },
  list: ({ value, mask = FULL_MASK }) => {
    if (value === 0) return `MARK and ${formatHex(~mask >>> 0)}`
    if (value === mask) return `MARK or ${formatHex(value)}`
    if (mask === 0) return `MARK xor ${formatHex(value)}`
    return mask === FULL_MASK ? `MARK set ${formatHex(value)}` : `MARK xset ${formatHex(value)}/${formatHex(mask)}`
  },
  canonical: (target) => ({ kind: 'mark', operation: 'set-xmark', value: target.value, mask: maskOf(target) }),
}

function markOption(target: MarkTarget): string {
  return target.operation === 'set-xmark' ? 'set-xmark' : `${target.operation}-mark`
}

/** Returns the mask of the `--set-xmark` option with the same effect. */
function maskOf({ operation, value, mask }: MarkTarget): number {
  if (operation === 'set-xmark') return mask ?? FULL_MASK
  return operation === 'or' ? value : 0
}

export function parseMarkTarget(words: WordCursor): MarkTarget | undefined {
  const option = consumeWord(words)
  const text = consumeWord(words)
  const read = parseMark(text)
  if (read === undefined) return undefined
  const { value, mask } = read
  const masked = text?.includes('/')
  switch (option) {
    case '--set-xmark':
      return { kind: 'mark', operation: 'set-xmark', value, mask }
    case '--set-mark':
      return { kind: 'mark', operation: 'set-xmark', value, mask: (value | mask) >>> 0 }
    case '--or-mark':
      return masked ? undefined : { kind: 'mark', operation: 'or', value }
    case '--xor-mark':
      return masked ? undefined : { kind: 'mark', operation: 'xor', value }
    case '--and-mark':
      return masked ? undefined : { kind: 'mark', operation: 'set-xmark', value: 0, mask: ~value >>> 0 }
    default:
      return undefined
  }
}
