/**
 * The kind of a token. A `mark` is one of `{ } ; , \`, or a Unicode white space character. A `word` contains no marks,
 * quotes or white space. A `note` is a comment. An `openString` has no closing quote.
 */
export type TokenKind = 'word' | 'string' | 'mark' | 'newline' | 'note' | 'openString' | 'end'

export interface Token {
  readonly kind: TokenKind
  /** The start and end of the token in the source text. */
  readonly start: number
  readonly end: number
  /** The text of the token. For a string, the text between the quotes; for a note, the text after `#`. */
  readonly text: string
}

/** A cursor for reading a text token by token. */
export interface Scanner {
  readonly source: string
  at: number
}

const TAB = 9
const NEWLINE = 10
const BLANK = 32
const QUOTE = 34
const HASH = 35
const COMMA = 44
const SEMICOLON = 59
const BACKSLASH = 92
const OPEN = 123
const CLOSE = 125
const LAST_ASCII = 127

/** Returns the token at the cursor. Moves the cursor after the token. */
export function nextToken(scanner: Scanner): Token {
  const { source } = scanner
  const start = skipBlanks(source, scanner.at)
  const code = source.charCodeAt(start)
  if (start >= source.length) return token(scanner, 'end', start, start)
  if (code === NEWLINE) return token(scanner, 'newline', start, start + 1)
  if (isMark(code)) return token(scanner, 'mark', start, start + 1)
  if (code === QUOTE) return stringToken(scanner, start)
  if (code === HASH) {
    const end = source.indexOf('\n', start)
    return token(scanner, 'note', start, end < 0 ? source.length : end, 1)
  }
  let end = start + 1
  while (end < source.length && isWordCode(source.charCodeAt(end))) end++
  return token(scanner, 'word', start, end)
}

/** Returns the token at the cursor. The cursor stays in place. */
export function peekToken(scanner: Scanner): Token {
  const { at } = scanner
  const token = nextToken(scanner)
  scanner.at = at
  return token
}

function token(scanner: Scanner, kind: TokenKind, start: number, end: number, skipped = 0): Token {
  scanner.at = end
  return { kind, start, end, text: scanner.source.slice(start + skipped, end) }
}

/** Returns a string token. Like in the output of nft, a string ends on the line where it starts and has no escapes. */
function stringToken(scanner: Scanner, start: number): Token {
  const { source } = scanner
  const close = source.indexOf('"', start + 1)
  const lineEnd = source.indexOf('\n', start)
  if (close < 0 || (lineEnd >= 0 && lineEnd < close)) {
    return token(scanner, 'openString', start, lineEnd < 0 ? source.length : lineEnd)
  }
  scanner.at = close + 1
  return { kind: 'string', start, end: close + 1, text: source.slice(start + 1, close) }
}

/** Skips spaces, tabs, and line ends after a backslash. */
function skipBlanks(source: string, from: number): number {
  let at = from
  for (;;) {
    const code = source.charCodeAt(at)
    if (code === BLANK || code === TAB) at++
    else if (code === BACKSLASH && source.charCodeAt(at + 1) === NEWLINE) at += 2
    else return at
  }
}

function isMark(code: number): boolean {
  return (
    code === OPEN ||
    code === CLOSE ||
    code === SEMICOLON ||
    code === COMMA ||
    code === BACKSLASH ||
    (code > LAST_ASCII && isOtherBlank(code))
  )
}

/**
 * Reports whether a character is white space that does not separate words in nft. Parsers reject such characters,
 * because words in nft do not contain them.
 */
function isOtherBlank(code: number): boolean {
  return /\s/.test(String.fromCharCode(code))
}

function isWordCode(code: number): boolean {
  return !isMark(code) && code > BLANK && code !== QUOTE
}
