import type { Rule, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { nextToken, peekToken, type Token } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { parseStatement } from './parse-statement.js'
import { type NftablesParser, recordUnexpectedToken } from './problem.js'
import { endsStatement, isPunctuation, isWord } from './tokens.js'

/** Parses a rule up to the end of the statement. If the rule is truncated, records a problem and returns undefined. */
export function parseRule(reader: NftablesParser): Rule | undefined {
  const statements: Statement[] = []
  let comment: string | undefined
  for (let token = peekToken(reader); !endsStatement(token); token = peekToken(reader)) {
    if (comment !== undefined) return recordUnexpectedToken(reader, 'the end of the rule after its comment', token)
    if (isWord(token, 'comment')) {
      comment = parseComment(reader)
      if (comment === undefined) return undefined
      continue
    }
    const statement = parseStatement(reader) ?? consumeUnknown(reader)
    if (statement === undefined) return undefined
    statements.push(statement)
  }
  const handle = parseHandle(reader)
  return {
    statements: compactList(statements),
    ...(comment !== undefined && { comment }),
    ...(handle !== undefined && { handle }),
  }
}

function parseComment(reader: NftablesParser): string | undefined {
  nextToken(reader)
  const token = nextToken(reader)
  return token.kind === 'string' || token.kind === 'word'
    ? token.text
    : recordUnexpectedToken(reader, 'a comment', token)
}

/** Parses the number in `# handle N`, which `nft -a` prints. Undefined if no handle is next. */
export function parseHandle(reader: NftablesParser): number | undefined {
  const token = peekToken(reader)
  const digits = token.kind === 'note' ? /^ handle (\d{1,15})\s*$/.exec(token.text)?.[1] : undefined
  if (digits === undefined) return undefined
  reader.at = token.end
  return Number(digits)
}

/** The first words of supported statements. Such a word ends a preceding unsupported statement. */
const LAST_WORDS: ReadonlySet<string> = new Set([
  'accept',
  'drop',
  'return',
  'continue',
  'jump',
  'goto',
  'reject',
  'masquerade',
  'counter',
  'comment',
])

/** Consumes the words of an unsupported statement, up to the verdict, the counter, the comment or the end of the rule. */
function consumeUnknown(reader: NftablesParser): Statement | undefined {
  const words = consumeWordsUntil(
    reader,
    (token, before) => token.kind === 'word' && LAST_WORDS.has(token.text) && !isExtension(before),
  )
  return words === undefined ? undefined : { kind: 'unknown', words }
}

/** Reports whether the name of an extension of iptables follows these words: `xt match comment`. */
function isExtension([first, second, ...rest]: readonly string[]): boolean {
  return first === 'xt' && second === 'match' && rest.length === 0
}

/**
 * Consumes words up to the end of a statement, or up to a token that satisfies `ends`. The function ignores
 * `ends` for the first token and within braces. Text without spaces is one word. Line ends within braces become `;`.
 * If quotes or braces are unclosed, records a problem and returns undefined.
 */
export function consumeWordsUntil(
  reader: NftablesParser,
  ends: (token: Token, before: readonly string[]) => boolean,
): readonly string[] | undefined {
  const words: string[] = []
  let depth = 0
  let previousEnd = -1
  for (let token = peekToken(reader); depth > 0 || !endsStatement(token); token = peekToken(reader)) {
    if (depth === 0 && words.length > 0 && token.start !== previousEnd && ends(token, words)) break
    if (token.kind === 'end') return recordUnexpectedToken(reader, 'a closing brace', token)
    if (token.kind === 'openString') return recordUnexpectedToken(reader, 'the end of the quotes', token)
    // A backslash is valid only at the end of a line. Other white space is never valid.
    if (isPunctuation(token, '\\') || (token.kind === 'mark' && /\s/.test(token.text)))
      return recordUnexpectedToken(reader, 'a word', token)
    reader.at = token.end
    if (isPunctuation(token, '{')) depth++
    if (isPunctuation(token, '}')) depth--
    if (token.kind === 'newline' || token.kind === 'note') {
      if (!ENDS.has(words.at(-1)?.at(-1) ?? '')) words.push(';')
      continue
    }
    const written = reader.source.slice(token.start, token.end)
    if (token.start === previousEnd) words[words.length - 1] += written
    else words.push(written)
    previousEnd = token.end
  }
  return words
}

/** Tokens after which a line end does not end a statement. */
const ENDS: ReadonlySet<string> = new Set(['{', ';', ','])
