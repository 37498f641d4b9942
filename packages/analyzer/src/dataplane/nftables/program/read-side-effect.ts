import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { consumeCounterValues, consumeDuration } from '../parse/parse-element.js'
import { consumeFlags, consumeText, consumeWord, skipPunctuation, skipWord } from '../parse/tokens.js'
import { type ClauseContent, needsOfKey } from './clause.js'
import { consumeSetName, consumeSum, readMap } from './read-comparison.js'
import { hasOperator, readKey } from './read-key.js'
import { needProtocol } from './selector-row.js'

/** Reads the rest of a statement after its first word. Undefined if it cannot be read completely. */
export type StatementReader = (scanner: Scanner, word: string) => ClauseContent | undefined

const PASS: ClauseContent = { kind: 'pass', needs: [] }
const UNKNOWN_MATCH: ClauseContent = { kind: 'unknownMatch', needs: [] }

const LOG_OPTIONS: ReadonlySet<string> = new Set(['prefix', 'level', 'group', 'snaplen', 'queue-threshold'])

export function readLog(scanner: Scanner): ClauseContent | undefined {
  for (;;) {
    const { at } = scanner
    const word = consumeWord(scanner) ?? ''
    if (LOG_OPTIONS.has(word)) {
      if (consumeText(scanner) === undefined) return undefined
    } else if (word === 'flags') {
      if (!skipLogFlags(scanner)) return undefined
    } else {
      scanner.at = at
      return PASS
    }
  }
}

/** Skips `tcp sequence,options`, `ip options`, `skuid`, `ether` or `all`. */
function skipLogFlags(scanner: Scanner): boolean {
  const word = consumeWord(scanner)
  if (word === 'tcp' || word === 'ip') return consumeFlags(scanner) !== undefined
  return word === 'skuid' || word === 'ether' || word === 'all'
}

/** Reads `rate over 10/second burst 5 packets`, `rate 1 mbytes/second` or `name "l"`. */
export function readLimit(scanner: Scanner): ClauseContent | undefined {
  if (skipWord(scanner, 'name')) return consumeText(scanner) === undefined ? undefined : UNKNOWN_MATCH
  if (!skipWord(scanner, 'rate')) return undefined
  skipWord(scanner, 'over')
  if (!skipAmount(scanner)) return undefined
  return skipWord(scanner, 'burst') && !skipAmount(scanner) ? undefined : UNKNOWN_MATCH
}

/** Reads `over 10 mbytes used 5 bytes` or `name "q"`. */
export function readQuota(scanner: Scanner): ClauseContent | undefined {
  if (skipWord(scanner, 'name')) return consumeText(scanner) === undefined ? undefined : UNKNOWN_MATCH
  if (!skipWord(scanner, 'over')) skipWord(scanner, 'until')
  if (!skipAmount(scanner)) return undefined
  return skipWord(scanner, 'used') && !skipAmount(scanner) ? undefined : UNKNOWN_MATCH
}

/** Skips a number, and its unit if there is one: `10/second`, `5 packets`, `1 mbytes/second`. */
function skipAmount(scanner: Scanner): boolean {
  if (!/^\d+(?:\/\w+)?$/.test(consumeWord(scanner) ?? '')) return false
  const { at } = scanner
  if (!/^(?:packets|bytes|kbytes|mbytes)(?:\/\w+)?$/.test(consumeWord(scanner) ?? '')) scanner.at = at
  return true
}

export function readCounter(scanner: Scanner): ClauseContent | undefined {
  if (skipWord(scanner, 'name')) return consumeText(scanner) === undefined ? undefined : PASS
  return consumeCounterValues(scanner) === undefined ? undefined : PASS
}

/** Reads `used never` or `used 5m`. */
export function readLast(scanner: Scanner): ClauseContent | undefined {
  return skipLast(scanner) ? PASS : undefined
}

/** Skips `used never` or `used 5m` after `last`. */
function skipLast(scanner: Scanner): boolean {
  return !skipWord(scanner, 'used') || consumeWord(scanner) !== undefined
}

export function readSetUpdate(scanner: Scanner): ClauseContent | undefined {
  return consumeSetName(scanner) === undefined ? undefined : readElementUpdate(scanner)
}

export function readMeter(scanner: Scanner): ClauseContent | undefined {
  if (consumeWord(scanner) === undefined) return undefined
  if (skipWord(scanner, 'size') && consumeWord(scanner) === undefined) return undefined
  return readElementUpdate(scanner)
}

/** Reads `{ ip saddr timeout 5s limit rate over 5/second }`. An element with a limit matches like the limit. */
function readElementUpdate(scanner: Scanner): ClauseContent | undefined {
  if (!skipPunctuation(scanner, '{')) return undefined
  const key = readKey(scanner)
  if (key === undefined) return undefined
  const needs = needsOfKey(key)
  let isLimited = false
  while (!skipPunctuation(scanner, '}')) {
    const option = readElementOption(scanner)
    if (option === undefined) return undefined
    isLimited ||= option === 'limit'
  }
  return { kind: isLimited ? 'unknownMatch' : 'pass', needs }
}

function readElementOption(scanner: Scanner): 'option' | 'limit' | undefined {
  switch (consumeWord(scanner)) {
    case 'timeout':
    case 'expires':
      return consumeDuration(scanner) === undefined ? undefined : 'option'
    case 'comment':
      return consumeText(scanner) === undefined ? undefined : 'option'
    case 'counter':
      return consumeCounterValues(scanner) === undefined ? undefined : 'option'
    case 'last':
      return skipLast(scanner) ? 'option' : undefined
    case 'limit':
      return readLimit(scanner) === undefined ? undefined : 'limit'
    case 'quota':
      return readQuota(scanner) === undefined ? undefined : 'limit'
    case 'ct':
      if (!skipWord(scanner, 'count')) return undefined
      skipWord(scanner, 'over')
      return consumeWord(scanner) === undefined ? undefined : 'limit'
    case ':':
      return skipValue(scanner) ? 'option' : undefined
    default:
      return undefined
  }
}

export function readFlow(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'add') && !skipWord(scanner, 'offload')) return undefined
  return consumeText(scanner) === undefined ? undefined : PASS
}

/** Reads `to 10.0.0.1 device "eth0"`. */
export function readDup(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'to') || !skipValue(scanner)) return undefined
  return skipWord(scanner, 'device') && !skipValue(scanner) ? undefined : PASS
}

export function readForward(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'ip')) skipWord(scanner, 'ip6')
  if (!skipWord(scanner, 'to') || !skipValue(scanner)) return undefined
  if (skipWord(scanner, 'device') && !skipValue(scanner)) return undefined
  return { kind: 'unknownEffect', needs: [] }
}

/** Reads `num 1-3 bypass,fanout`, `flags bypass to 1-3` or `to numgen inc mod 4`. */
export function readQueue(scanner: Scanner): ClauseContent | undefined {
  if (skipWord(scanner, 'flags') && consumeFlags(scanner) === undefined) return undefined
  if ((skipWord(scanner, 'num') || skipWord(scanner, 'to')) && !skipValue(scanner)) return undefined
  while (skipWord(scanner, 'bypass') || skipWord(scanner, 'fanout')) skipPunctuation(scanner, ',')
  return { kind: 'unknownEffect', needs: [] }
}

export function readSynproxy(scanner: Scanner): ClauseContent | undefined {
  for (;;) {
    if (skipWord(scanner, 'timestamp') || skipWord(scanner, 'sack-perm')) continue
    if (!['mss', 'wscale', 'name'].some((option) => skipWord(scanner, option))) break
    if (consumeText(scanner) === undefined) return undefined
  }
  return { kind: 'unknownEffect', needs: [needProtocol('tcp')] }
}

/** Reads `ip to 127.0.0.1:8080`. Without a socket at this address, the rule does not match. */
export function readTproxy(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'ip')) skipWord(scanner, 'ip6')
  if (!skipWord(scanner, 'to') || !skipValue(scanner)) return undefined
  return { kind: 'unknownEffect', needs: [], mayMatch: true }
}

export function readReset(scanner: Scanner): ClauseContent | undefined {
  if (!skipWord(scanner, 'tcp') || !skipWord(scanner, 'option')) return undefined
  return consumeText(scanner) === undefined ? undefined : { kind: 'pass', needs: [needProtocol('tcp')] }
}

/** Skips a value that a statement stores or sends: a word, selectors, a map, or a computation of these. */
export function skipValue(scanner: Scanner): boolean {
  const { at } = scanner
  const key = readKey(scanner)
  if (key !== undefined && !skipWord(scanner, 'map')) return !hasOperator(scanner)
  if (key !== undefined) return readMap(scanner, key) !== undefined && !hasOperator(scanner)
  scanner.at = at
  return consumeSum(scanner) !== undefined && !hasOperator(scanner)
}
