import { peekToken, type Token } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { hasMaxProblems, type NftablesParser, recordProblem } from './problem.js'
import { endsStatement, skipPunctuation, skipSeparators, skipStatement } from './tokens.js'

/**
 * Parses the items of a block up to its closing brace; a missing brace is a problem. The cursor is after the opening
 * brace. The rest of an item that its parser leaves is skipped.
 */
export function readBlock(reader: NftablesParser, kind: string, readItem: (first: Token) => void): undefined {
  for (skipSeparators(reader); !skipPunctuation(reader, '}'); skipSeparators(reader)) {
    const token = peekToken(reader)
    if (token.kind === 'end') return recordProblem(reader, 'unclosedBlock', `the ${kind} is not closed`, token)
    readItem(token)
    if (!endsStatement(peekToken(reader))) skipStatement(reader)
    if (hasMaxProblems(reader)) return
  }
}
