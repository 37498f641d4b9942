import {
  nextToken,
  peekToken,
  type Scanner,
  type Token,
} from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/nftables/words'

/** Reports whether a token is the given word. */
export function isWord(token: Token, text: string): boolean {
  return token.kind === 'word' && token.text === text
}

/** Reports whether a token is the given punctuation mark: `{ } ; ,`. */
export function isPunctuation(token: Token, text: string): boolean {
  return token.kind === 'mark' && token.text === text
}

/** Skips the given word if it is next. */
export function skipWord(scanner: Scanner, text: string): boolean {
  const { at } = scanner
  if (isWord(nextToken(scanner), text)) return true
  scanner.at = at
  return false
}

/** Skips the given punctuation mark if it is next. */
export function skipPunctuation(scanner: Scanner, text: string): boolean {
  const { at } = scanner
  if (isPunctuation(nextToken(scanner), text)) return true
  scanner.at = at
  return false
}

/** Skips line ends and comments. */
export function skipLines(scanner: Scanner): void {
  let { at } = scanner
  for (let token = nextToken(scanner); token.kind === 'newline' || token.kind === 'note'; token = nextToken(scanner)) {
    at = scanner.at
  }
  scanner.at = at
}

/** Skips separators between statements: line ends, `;` and comments. */
export function skipSeparators(scanner: Scanner): void {
  let { at } = scanner
  for (let token = nextToken(scanner); isSeparator(token); token = nextToken(scanner)) at = scanner.at
  scanner.at = at
}

function isSeparator(token: Token): boolean {
  return token.kind === 'newline' || token.kind === 'note' || isPunctuation(token, ';')
}

/** Reports whether a statement ends before this token: at a line end, `;`, a comment or `}`. */
export function endsStatement(token: Token): boolean {
  return token.kind === 'end' || isSeparator(token) || isPunctuation(token, '}')
}

/** Consumes the next word. Returns undefined, and consumes nothing, if the next token is not a word. */
export function consumeWord(scanner: Scanner): string | undefined {
  const { at } = scanner
  const token = nextToken(scanner)
  if (token.kind === 'word') return token.text
  scanner.at = at
  return undefined
}

/** Returns the result of a parser. If the result is undefined, the cursor is unchanged. */
export function attempt<Result>(scanner: Scanner, parse: (scanner: Scanner) => Result | undefined): Result | undefined {
  const { at } = scanner
  const result = parse(scanner)
  if (result === undefined) scanner.at = at
  return result
}

/** Consumes a word of a table, and returns its value. Returns undefined, and consumes nothing, for any other token. */
export function consumeEntry<Value>(scanner: Scanner, table: ReadonlyMap<string, Value>): Value | undefined {
  return attempt(scanner, () => table.get(consumeWord(scanner) ?? ''))
}

/** Consumes a decimal or hexadecimal number of at most 32 bits. Consumes nothing if the next token is not a number. */
export function consumeNumber(scanner: Scanner): number | undefined {
  return attempt(scanner, () => parseNumber(consumeWord(scanner) ?? ''))
}

/** Consumes `@name` and returns the name, which cannot begin a comment. An `@` before numbers has another meaning. */
export function consumeSetName(scanner: Scanner): string | undefined {
  return attempt(scanner, () => /^@([^#].*)/s.exec(consumeWord(scanner) ?? '')?.[1])
}

/** Consumes the word `ip` or `ip6`. */
export function consumeFamily(scanner: Scanner): 'ip' | 'ip6' | undefined {
  return FAMILIES.find((family) => skipWord(scanner, family))
}

const FAMILIES = ['ip', 'ip6'] as const

/** Consumes a decimal integer. */
export function consumeInteger(scanner: Scanner): number | undefined {
  const word = consumeWord(scanner)
  return word !== undefined && /^\d{1,15}$/.test(word) ? Number(word) : undefined
}

/** Consumes the next word or quoted string. */
export function consumeText(scanner: Scanner): string | undefined {
  const { at } = scanner
  const token = nextToken(scanner)
  if (token.kind === 'word' || token.kind === 'string') return token.text
  scanner.at = at
  return undefined
}

/**
 * Consumes adjacent words and strings without spaces between them, unchanged. Undefined if the next token is neither a
 * word nor a string.
 */
export function consumeAdjacentWords(scanner: Scanner): string | undefined {
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

/**
 * Skips invalid text up to the line end, `;` or `}`. Inside braces that open within the invalid text, these tokens are
 * skipped too.
 */
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
    if (isPunctuation(token, '{')) depth++
    if (isPunctuation(token, '}')) depth--
  }
}

/** Consumes flags: `dynamic,timeout`, `dynamic, timeout` or `established,related`. */
export function consumeFlags(scanner: Scanner): readonly string[] | undefined {
  const flags: string[] = []
  do {
    const flag = consumeWord(scanner)
    if (flag === undefined) return undefined
    flags.push(flag)
  } while (skipPunctuation(scanner, ','))
  return flags
}
