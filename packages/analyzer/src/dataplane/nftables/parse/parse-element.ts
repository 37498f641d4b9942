import type { Element, Verdict } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { parseDuration } from '@kube-rules/compiler/internal/dataplane/nftables/duration'
import { nextToken, type Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { parseKey } from './parse-key.js'
import {
  attempt,
  consumeInteger,
  consumeText,
  consumeWord,
  isPunctuation,
  skipLines,
  skipPunctuation,
  skipWord,
} from './tokens.js'

/** The types of the content of a set or map; empty if unknown. */
export interface ElementTypes {
  readonly key: readonly string[]
  readonly data: readonly string[]
}

/** Parses the elements between braces. If an element is invalid, returns undefined, and the cursor is at the error. */
export function parseElements(scanner: Scanner, types: ElementTypes): readonly Element[] | undefined {
  if (!skipPunctuation(scanner, '{')) return undefined
  const elements: Element[] = []
  skipLines(scanner)
  while (!skipPunctuation(scanner, '}')) {
    const element = parseElement(scanner, types)
    if (element === undefined) return undefined
    elements.push(element)
    skipLines(scanner)
    const { at } = scanner
    const token = nextToken(scanner)
    if (isPunctuation(token, '}')) break
    if (!isPunctuation(token, ',')) {
      scanner.at = at
      return undefined
    }
    skipLines(scanner)
  }
  return compactList(elements)
}

/** Parses `KEY [counter …] [timeout T] [expires T] [comment "…"] [: VERDICT or DATA]`. */
function parseElement(scanner: Scanner, types: ElementTypes): Element | undefined {
  const key = parseKey(scanner, types.key)
  if (key === undefined) return undefined
  let element: Element = { key }
  for (;;) {
    const { at } = scanner
    const token = nextToken(scanner)
    if (token.kind !== 'word') {
      scanner.at = at
      return element
    }
    if (token.text === ':') return consumeValue(scanner, element, types.data)
    const option = consumeOption(scanner, token.text)
    if (option === undefined) {
      scanner.at = at
      return undefined
    }
    element = { ...element, ...option }
  }
}

/** The parsers of the options of an element. Each option is a property of the element. */
const OPTIONS: ReadonlyMap<string, (scanner: Scanner) => unknown> = new Map<string, (scanner: Scanner) => unknown>([
  ['comment', consumeText],
  ['timeout', consumeDuration],
  ['expires', consumeDuration],
  ['counter', consumeCounterValues],
])

function consumeOption(scanner: Scanner, word: string): Partial<Element> | undefined {
  const value = OPTIONS.get(word)?.(scanner)
  return value === undefined ? undefined : { [word]: value }
}

/** Parses a time; undefined if the next word is not a time. */
export function consumeDuration(scanner: Scanner): number | undefined {
  const word = consumeWord(scanner)
  return word === undefined ? undefined : parseDuration(word)
}

/** Consumes `packets N bytes N`. Returns zeros if the words are absent, and undefined if they are incomplete. */
export function consumeCounterValues(
  scanner: Scanner,
): { readonly packets: number; readonly bytes: number } | undefined {
  if (!skipWord(scanner, 'packets')) return { packets: 0, bytes: 0 }
  const packets = consumeInteger(scanner)
  if (packets === undefined || !skipWord(scanner, 'bytes')) return undefined
  const bytes = consumeInteger(scanner)
  return bytes === undefined ? undefined : { packets, bytes }
}

function consumeValue(scanner: Scanner, element: Element, types: readonly string[]): Element | undefined {
  const verdict = attempt(scanner, parseVerdict)
  if (verdict !== undefined) return { ...element, verdict }
  const data = parseKey(scanner, types)
  return data === undefined ? undefined : { ...element, data }
}

/** Parses `accept`, `goto NAME`, …. If the words are not a verdict, returns undefined, but also consumes the words. */
export function parseVerdict(scanner: Scanner): Verdict | undefined {
  return parseVerdictAfter(consumeWord(scanner), scanner)
}

/** Parses the rest of a verdict after its first word. */
export function parseVerdictAfter(word: string | undefined, scanner: Scanner): Verdict | undefined {
  switch (word) {
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      return { kind: word }
    case 'jump':
    case 'goto': {
      const chain = consumeWord(scanner)
      return chain === undefined ? undefined : { kind: word, chain }
    }
    default:
      return undefined
  }
}
