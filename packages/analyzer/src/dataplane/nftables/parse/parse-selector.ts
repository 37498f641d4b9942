import type { Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import {
  isFibFlag,
  isMetaShorthand,
  isSupportedProtocol,
  typeOfSelector,
} from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { consumeInteger } from './parse-element.js'
import { consumeWord, skipWord } from './tokens.js'

/** Parses selectors separated by ` . `; undefined if a component is not supported. */
export function parseSelectors(scanner: Scanner): readonly Selector[] | undefined {
  const selectors: Selector[] = []
  do {
    const selector = parseSelector(scanner)
    if (selector === undefined || typeOfSelector(selector) === undefined) return undefined
    selectors.push(selector)
  } while (skipWord(scanner, '.'))
  return selectors
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
