import type { Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import {
  canonicalizeKeyComponent,
  haveSingleNotation,
  isSingleValue,
  joinConcatenation,
} from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import {
  isFibFlag,
  isMetaShorthand,
  isSupportedProtocol,
  typeOfSelector,
} from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { compactList } from '@kube-rules/compiler/internal/internal/compact-list'
import { toDefaultNotation } from './component-notations.js'
import { consumeAdjacentWords, consumeInteger, consumeWord, skipWord } from './tokens.js'

/**
 * Parses a key at the cursor: components separated by ` . `, in canonical notation of their types. Undefined if the
 * next word is not a key.
 */
export function parseKey(scanner: Scanner, types: readonly string[]): string | undefined {
  const first = consumePart(scanner)
  if (first === undefined) return undefined
  if (!skipWord(scanner, '.')) return printKeyPart(first, types, 0)
  const parts = [first]
  do {
    const part = consumePart(scanner)
    if (part === undefined) return undefined
    parts.push(part)
  } while (skipWord(scanner, '.'))
  const hasNames = parts.some((part) => part.startsWith('"'))
  if (!hasNames && haveSingleNotation(types)) return joinConcatenation(parts)
  return joinConcatenation(parts.map((part, index) => printKeyPart(part, types, index)))
}

function consumePart(scanner: Scanner): string | undefined {
  const part = consumeAdjacentWords(scanner)
  return part !== undefined && KEY_START.test(part) && isSingleValue(part) ? part : undefined
}

/** Addresses, numbers, names, quoted text, `*` and `[`. */
const KEY_START = /^(?:["\w*[]|::)/

function printKeyPart(part: string, types: readonly string[], index: number): string {
  const type = types[index]
  return type === undefined ? part : canonicalizeKeyComponent(toDefaultNotation(part, type), type)
}

/** Parses selectors separated by ` . `; undefined if a component is not supported. */
export function parseSelectors(scanner: Scanner): readonly Selector[] | undefined {
  const selectors: Selector[] = []
  do {
    const selector = parseSelector(scanner)
    if (selector === undefined || typeOfSelector(selector) === undefined) return undefined
    selectors.push(selector)
  } while (skipWord(scanner, '.'))
  return compactList(selectors)
}

function parseSelector(scanner: Scanner): Selector | undefined {
  const word = consumeWord(scanner)
  if (word === undefined) return undefined
  if (isMetaShorthand(word)) return { kind: 'meta', key: word }
  if (word === 'fib') return parseFib(scanner)
  if (word === 'numgen') return parseNumgen(scanner)
  if (word !== 'meta' && word !== 'ct' && !isSupportedProtocol(word)) return undefined
  const field = consumeWord(scanner)
  if (field === undefined) return undefined
  return word === 'meta' || word === 'ct' ? { kind: word, key: field } : { kind: 'payload', protocol: word, field }
}

function parseFib(scanner: Scanner): Selector | undefined {
  const flags: string[] = []
  do {
    const flag = consumeWord(scanner)
    if (flag === undefined || !isFibFlag(flag)) return undefined
    flags.push(flag)
  } while (skipWord(scanner, '.'))
  const result = consumeWord(scanner)
  return result === undefined ? undefined : { kind: 'fib', flags, result }
}

function parseNumgen(scanner: Scanner): Selector | undefined {
  const mode = consumeWord(scanner)
  if ((mode !== 'random' && mode !== 'inc') || !skipWord(scanner, 'mod')) return undefined
  const mod = consumeInteger(scanner)
  if (mod === undefined) return undefined
  const offset = skipWord(scanner, 'offset') ? consumeInteger(scanner) : 0
  return offset === undefined ? undefined : { kind: 'numgen', mode, mod, offset }
}
