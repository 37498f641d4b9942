import {
  nextToken,
  peekToken,
  type Scanner,
  type Token,
} from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'

/** Whether a token is this word. */
export function isWord(token: Token, text: string): boolean {
  return token.kind === 'word' && token.text === text
}

/** Whether a token is this one of `{ } ; ,`. */
export function isMark(token: Token, text: string): boolean {
  return token.kind === 'mark' && token.text === text
}

/** Moves over this word, where it is next. */
export function skipWord(scanner: Scanner, text: string): boolean {
  const { at } = scanner
  if (isWord(nextToken(scanner), text)) return true
  scanner.at = at
  return false
}

/** Moves over this mark, where it is next. */
export function skipMark(scanner: Scanner, text: string): boolean {
  const { at } = scanner
  if (isMark(nextToken(scanner), text)) return true
  scanner.at = at
  return false
}

/** Moves over ends of lines and notes. */
export function skipLines(scanner: Scanner): void {
  let { at } = scanner
  for (let token = nextToken(scanner); token.kind === 'newline' || token.kind === 'note'; token = nextToken(scanner)) {
    at = scanner.at
  }
  scanner.at = at
}

/** Moves over what stands between statements: ends of lines, `;` and notes. */
export function skipSeparators(scanner: Scanner): void {
  let { at } = scanner
  for (let token = nextToken(scanner); isSeparator(token); token = nextToken(scanner)) at = scanner.at
  scanner.at = at
}

function isSeparator(token: Token): boolean {
  return token.kind === 'newline' || token.kind === 'note' || isMark(token, ';')
}

/** Whether a statement ends before this token: at the end of a line, `;`, a note or `}`. */
export function endsStatement(token: Token): boolean {
  return token.kind === 'end' || isSeparator(token) || isMark(token, '}')
}

/** The next word; undefined where there is none, and the place stays. */
export function takeWord(scanner: Scanner): string | undefined {
  const { at } = scanner
  const token = nextToken(scanner)
  if (token.kind === 'word') return token.text
  scanner.at = at
  return undefined
}

/** The next word or the text of the next string. */
export function takeText(scanner: Scanner): string | undefined {
  const { at } = scanner
  const token = nextToken(scanner)
  if (token.kind === 'word' || token.kind === 'string') return token.text
  scanner.at = at
  return undefined
}

/** Words and strings that follow one another without a blank, as they are written; undefined where there are none. */
export function takeChunk(scanner: Scanner): string | undefined {
  const first = peekToken(scanner)
  if (first.kind !== 'word' && first.kind !== 'string') return undefined
  scanner.at = first.end
  let end = first.end
  for (;;) {
    const next = peekToken(scanner)
    if (next.start !== end || (next.kind !== 'word' && next.kind !== 'string')) break
    scanner.at = next.end
    end = next.end
  }
  return first.kind === 'word' && first.end === end ? first.text : scanner.source.slice(first.start, end)
}

/** Moves to the end of what cannot be read: the end of the line, `;` or `}` outside braces that open there. */
export function skipStatement(scanner: Scanner): void {
  let depth = 0
  for (;;) {
    const { at } = scanner
    const token = nextToken(scanner)
    if (token.kind === 'end') return
    if (depth === 0 && endsStatement(token)) {
      scanner.at = at
      return
    }
    if (isMark(token, '{')) depth++
    if (isMark(token, '}')) depth--
  }
}
