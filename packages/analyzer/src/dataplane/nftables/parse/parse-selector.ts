import type { Selector } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import {
  isFibFlag,
  isMetaShorthand,
  isSupportedProtocol,
  typeOfSelector,
} from '@kube-rules/compiler/internal/dataplane/nftables/selectors'
import { takeCount } from './parse-element.js'
import { skipWord, takeWord } from './tokens.js'

/** Parses selectors separated by ` . `; undefined if a component is not supported. */
export function takeSelectors(scanner: Scanner): readonly Selector[] | undefined {
  const selectors: Selector[] = []
  do {
    const selector = takeSelector(scanner)
    if (selector === undefined || typeOfSelector(selector) === undefined) return undefined
    selectors.push(selector)
  } while (skipWord(scanner, '.'))
  return selectors
}

function takeSelector(scanner: Scanner): Selector | undefined {
  const word = takeWord(scanner)
  if (word === undefined) return undefined
  if (isMetaShorthand(word)) return { kind: 'meta', key: word }
  if (word === 'fib') return takeFib(scanner)
  if (word === 'numgen') return takeNumgen(scanner)
  if (word !== 'meta' && word !== 'ct' && !isSupportedProtocol(word)) return undefined
  const field = takeWord(scanner)
  if (field === undefined) return undefined
  return word === 'meta' || word === 'ct' ? { kind: word, key: field } : { kind: 'payload', protocol: word, field }
}

function takeFib(scanner: Scanner): Selector | undefined {
  const flags: string[] = []
  do {
    const flag = takeWord(scanner)
    if (flag === undefined || !isFibFlag(flag)) return undefined
    flags.push(flag)
  } while (skipWord(scanner, '.'))
  const result = takeWord(scanner)
  return result === undefined ? undefined : { kind: 'fib', flags, result }
}

function takeNumgen(scanner: Scanner): Selector | undefined {
  const mode = takeWord(scanner)
  if ((mode !== 'random' && mode !== 'inc') || !skipWord(scanner, 'mod')) return undefined
  const mod = takeCount(scanner)
  if (mod === undefined) return undefined
  const offset = skipWord(scanner, 'offset') ? takeCount(scanner) : 0
  return offset === undefined ? undefined : { kind: 'numgen', mode, mod, offset }
}
