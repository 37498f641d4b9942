import type { MarkMatch } from '../ast.js'
import { FULL_MASK, formatHex, formatPaddedHex, parseMark } from '../mark.js'
import { consumeWord, skipWord } from '../words.js'
import { type MatchParser, type MatchPrinter, unchangedMatch } from './operations.js'

/** `-m mark --mark VALUE/MASK`. */
export const markMatchPrinter: MatchPrinter<MarkMatch> = {
  print: ({ value, mask, negated }, style) => {
    const option = negated ? '-m mark ! --mark ' : '-m mark --mark '
    if (style === 'restore') return `${option}${formatPaddedHex(value)}/${formatPaddedHex(mask)}`
    return option + shortText(value, mask)
  },
  list: ({ value, mask, negated }) => `mark match ${negated ? '! ' : ''}${shortText(value, mask)}`,
  canonical: unchangedMatch,
}

export const markMatchParser: MatchParser<MarkMatch> = {
  begins: ['-m mark'],
  valueOptions: ['--mark'],
  parse: (words) => {
    const negated = skipWord(words, '!')
    const read = skipWord(words, '--mark') ? parseMark(consumeWord(words)) : undefined
    return read === undefined ? undefined : { kind: 'mark', ...read, negated }
  },
}

function shortText(value: number, mask: number): string {
  return mask === FULL_MASK ? formatHex(value) : `${formatHex(value)}/${formatHex(mask)}`
}
