import type { MarkVerdict } from '../ast.js'
import { FULL_MASK, paddedHex, readMark, shortHex } from '../mark.js'
import { takeWord, type Words } from '../words.js'
import type { VerdictLanguage } from './language.js'

/** `-j MARK` with `--or-mark`, `--xor-mark` or `--set-xmark`, which can express all further forms. */
export const mark: VerdictLanguage<MarkVerdict> = {
  begins: ['-j MARK'],
  print: (verdict, style) => {
    const hex = style === 'restore' ? paddedHex : shortHex
    const text = `-j MARK --${markOption(verdict)} ${hex(verdict.value)}`
    return verdict.operation === 'set-xmark' ? `${text}/${hex(verdict.mask ?? FULL_MASK)}` : text
  },
  parse: (words) => readVerdict(takeWord(words), words),
  canonical: (verdict) => ({ kind: 'mark', operation: 'set-xmark', value: verdict.value, mask: maskOf(verdict) }),
  evaluate: (verdict, packet) => {
    const mark = ((packet.mark & ~maskOf(verdict)) ^ verdict.value) >>> 0
    return { kind: 'continue', packet: { ...packet, mark } }
  },
}

function markOption(verdict: MarkVerdict): string {
  return verdict.operation === 'set-xmark' ? 'set-xmark' : `${verdict.operation}-mark`
}

/** Returns the mask of the equivalent `--set-xmark`. */
function maskOf({ operation, value, mask }: MarkVerdict): number {
  if (operation === 'set-xmark') return mask ?? FULL_MASK
  return operation === 'or' ? value : 0
}

function readVerdict(option: string | undefined, words: Words): MarkVerdict | undefined {
  const text = takeWord(words)
  const read = readMark(text)
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
