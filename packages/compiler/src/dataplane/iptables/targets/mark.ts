import type { MarkTarget } from '../ast.js'
import { FULL_MASK, paddedHex, readMark, shortHex } from '../mark.js'
import { takeWord, type Words } from '../words.js'
import type { TargetLanguage } from './language.js'

/** `-j MARK` with `--or-mark`, `--xor-mark` or `--set-xmark`, which can express all further forms. */
export const mark: TargetLanguage<MarkTarget> = {
  begins: ['-j MARK'],
  print: (target, style) => {
    const hex = style === 'restore' ? paddedHex : shortHex
    const text = `-j MARK --${markOption(target)} ${hex(target.value)}`
    return target.operation === 'set-xmark' ? `${text}/${hex(target.mask ?? FULL_MASK)}` : text
  },
  list: ({ value, mask = FULL_MASK }) => {
    if (value === 0) return `MARK and ${shortHex(~mask >>> 0)}`
    if (value === mask) return `MARK or ${shortHex(value)}`
    if (mask === 0) return `MARK xor ${shortHex(value)}`
    return mask === FULL_MASK ? `MARK set ${shortHex(value)}` : `MARK xset ${shortHex(value)}/${shortHex(mask)}`
  },
  parse: (words) => readTarget(takeWord(words), words),
  canonical: (target) => ({ kind: 'mark', operation: 'set-xmark', value: target.value, mask: maskOf(target) }),
  evaluate: (target, packet) => {
    const mark = ((packet.mark & ~maskOf(target)) ^ target.value) >>> 0
    return { kind: 'continue', packet: { ...packet, mark } }
  },
}

function markOption(target: MarkTarget): string {
  return target.operation === 'set-xmark' ? 'set-xmark' : `${target.operation}-mark`
}

/** Returns the mask of the equivalent `--set-xmark`. */
function maskOf({ operation, value, mask }: MarkTarget): number {
  if (operation === 'set-xmark') return mask ?? FULL_MASK
  return operation === 'or' ? value : 0
}

function readTarget(option: string | undefined, words: Words): MarkTarget | undefined {
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
