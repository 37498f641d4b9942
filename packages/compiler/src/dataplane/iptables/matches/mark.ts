import { negateIf, ternaryOf } from '../../netfilter/ternary.js'
import type { MarkMatch } from '../ast.js'
import { FULL_MASK, formatHex, paddedHex, readMark } from '../mark.js'
import { skipWord, takeWord } from '../words.js'
import { type MatchLanguage, unchanged } from './language.js'

/** `-m mark --mark VALUE/MASK`. */
export const mark: MatchLanguage<MarkMatch> = {
  begins: ['-m mark'],
  valueOptions: ['--mark'],
  print: ({ value, mask, negated }, style) => {
    const option = negated ? '-m mark ! --mark ' : '-m mark --mark '
    if (style === 'restore') return `${option}${paddedHex(value)}/${paddedHex(mask)}`
    return option + shortText(value, mask)
  },
  list: ({ value, mask, negated }) => `mark match ${negated ? '! ' : ''}${shortText(value, mask)}`,
  parse: (words) => {
    const negated = skipWord(words, '!')
    const read = skipWord(words, '--mark') ? readMark(takeWord(words)) : undefined
    return read === undefined ? undefined : { kind: 'mark', ...read, negated }
  },
  canonical: unchanged,
  ignoresDestination: true,
  evaluate: ({ value, mask, negated }, { packet }) =>
    negateIf(negated, ternaryOf((packet.mark & mask) >>> 0 === value)),
}

function shortText(value: number, mask: number): string {
  return mask === FULL_MASK ? formatHex(value) : `${formatHex(value)}/${formatHex(mask)}`
}
