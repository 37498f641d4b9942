import { peekToken } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { hasMaxProblems, type NftablesReader, recordProblem, recordUnexpectedToken } from './problem.js'
import { endsStatement, skipPunctuation, skipSeparators, skipStatement } from './tokens.js'

/** Parses items up to the end of the text. After an invalid item it continues with the next. */
export function readItems(reader: NftablesReader, take: () => void): void {
  failAtStrangeCharacters(reader)
  for (skipSeparators(reader); peekToken(reader).kind !== 'end' && !hasMaxProblems(reader); skipSeparators(reader)) {
    const { at } = reader
    const problems = reader.problems.length
    take()
    const next = peekToken(reader)
    if (!endsStatement(next) || next.text === '}') {
      if (reader.problems.length === problems) recordUnexpectedToken(reader, 'the end of the line', next)
      if (next.text === '}') skipPunctuation(reader, '}')
      else skipStatement(reader)
    }
    if (reader.at === at) return
  }
}

/** Reports control characters other than tabs and line ends, because they have no printable form. */
function failAtStrangeCharacters(reader: NftablesReader): void {
  for (const { index } of reader.source.matchAll(/[^\P{Cc}\t\n]|[\p{Zl}\p{Zp}]/gu)) {
    if (hasMaxProblems(reader)) return
    const token = { kind: 'word', start: index, end: index + 1, text: '' } as const
    recordProblem(reader, 'invalidCharacter', 'nft never prints this character', token)
  }
}
