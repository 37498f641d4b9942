import { truncateUtf8 } from '../../../internal/utf8.js'
import type { CommentMatch } from '../ast.js'
import { checkPlainText, quoteText } from '../quote.js'
import { consumeText, skipWord } from '../words.js'
import type { MatchParser, MatchPrinter } from './operations.js'

/** The maximum length of a comment in the kernel. The tools silently cut off the rest. */
export const MAX_COMMENT_BYTES = 255

/** `-m comment --comment TEXT`. */
export const commentMatchPrinter: MatchPrinter<CommentMatch> = {
  print: (match, style) => `-m comment --comment ${quoteText(match.text, style)}`,
  list: ({ text }) => `/* ${checkPlainText(text)} */`,
  canonical: (match) => {
    const text = truncateUtf8(match.text, MAX_COMMENT_BYTES)
    return text === match.text ? match : { kind: 'comment', text }
  },
}

export const commentMatchParser: MatchParser<CommentMatch> = {
  begins: ['-m comment'],
  valueOptions: ['--comment'],
  parse: (words) => {
    const text = skipWord(words, '--comment') ? consumeText(words) : undefined
    return text === undefined ? undefined : { kind: 'comment', text }
  },
}
