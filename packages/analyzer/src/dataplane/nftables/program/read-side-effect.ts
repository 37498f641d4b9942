import type { Scanner } from '@kube-rules/compiler/internal/dataplane/nftables/parse/scanner'
import { consumeCounterValues, consumeDuration } from '../parse/parse-element.js'
import { parseCounter } from '../parse/parse-statement.js'
import { attempt, consumeSetName, consumeWord, skipPunctuation, skipWord } from '../parse/tokens.js'
import { type ClauseContent, needsOfKey } from './clause.js'
import { consumeSum, readMap } from './read-comparison.js'
import { hasOperator, readKey } from './read-key.js'
import { needProtocol } from './selector-row.js'
import {
  type Skip,
  skipAll,
  skipAnyWord,
  skipEntry,
  skipFlags,
  skipNothing,
  skipOneOf,
  skipOptions,
  skipText,
} from './skip.js'

/** Reads the rest of a statement after its first word. Undefined if it cannot be read completely. */
export type StatementReader = (scanner: Scanner) => ClauseContent | undefined

/** Creates a reader for statements that consist of these parts and have the same effect. */
function readAs(content: ClauseContent, ...parts: readonly Skip[]): StatementReader {
  const skip = skipAll(...parts)
  return (scanner) => (skip(scanner) ? content : undefined)
}

const PASS: ClauseContent = { kind: 'pass', needs: [] }
const UNKNOWN_MATCH: ClauseContent = { kind: 'unknownMatch', needs: [] }
const UNKNOWN_EFFECT: ClauseContent = { kind: 'unknownEffect', needs: [] }

/** Skips a value that a statement stores or sends: a word, selectors, a map, or a computation of these. */
export const skipValue: Skip = (scanner) => {
  const key = attempt(scanner, readKey)
  if (key === undefined) return consumeSum(scanner) !== undefined && !hasOperator(scanner)
  const isRead = !skipWord(scanner, 'map') || readMap(scanner, key) !== undefined
  return isRead && !hasOperator(scanner)
}

/** Skips a number, and its unit if there is one: `10/second`, `5 packets`, `1 mbytes/second`. */
const skipAmount: Skip = (scanner) => {
  if (!/^\d+(?:\/\w+)?$/.test(consumeWord(scanner) ?? '')) return false
  const { at } = scanner
  if (!/^(?:packets|bytes|kbytes|mbytes)(?:\/\w+)?$/.test(consumeWord(scanner) ?? '')) scanner.at = at
  return true
}

const skipComma: Skip = (scanner) => {
  skipPunctuation(scanner, ',')
  return true
}
const skipDuration: Skip = (scanner) => consumeDuration(scanner) !== undefined
const skipFamily = skipOptions({ ip: skipNothing, ip6: skipNothing })
const skipTarget = skipAll(skipOneOf('to'), skipValue)

const skipLog = skipOptions({
  prefix: skipText,
  level: skipText,
  group: skipText,
  snaplen: skipText,
  'queue-threshold': skipText,
  flags: skipEntry({ tcp: skipFlags, ip: skipFlags, skuid: skipNothing, ether: skipNothing, all: skipNothing }),
})
const skipOver = skipOptions({ over: skipNothing })
const skipLast = skipOptions({ used: skipAnyWord })
/** Skips `rate over 10/second burst 5 packets`, `rate 1 mbytes/second` or `name "l"`. */
const skipLimit = skipEntry({
  rate: skipAll(skipOver, skipAmount, skipOptions({ burst: skipAmount })),
  name: skipText,
})
const skipQuotaValue = skipAll(
  skipOptions({ over: skipNothing, until: skipNothing }),
  skipAmount,
  skipOptions({ used: skipAmount }),
)
/** Skips `over 10 mbytes used 5 bytes` or `name "q"`. */
const skipQuota: Skip = (scanner) => (skipWord(scanner, 'name') ? skipText : skipQuotaValue)(scanner)

/** The options of an element that limit how many packets match. */
const LIMITS: ReadonlyMap<string, Skip> = new Map([
  ['limit', skipLimit],
  ['quota', skipQuota],
  ['ct', skipAll(skipOneOf('count'), skipOver, skipAnyWord)],
])

const ELEMENT_OPTIONS: ReadonlyMap<string, Skip> = new Map([
  ...LIMITS,
  ['timeout', skipDuration],
  ['expires', skipDuration],
  ['comment', skipText],
  ['counter', (scanner) => consumeCounterValues(scanner) !== undefined],
  ['last', skipLast],
  [':', skipValue],
])

/** Reads `{ ip saddr timeout 5s limit rate over 5/second }`. An element with a limit matches like the limit. */
function readElementUpdate(scanner: Scanner): ClauseContent | undefined {
  const key = skipPunctuation(scanner, '{') ? readKey(scanner) : undefined
  if (key === undefined) return undefined
  let isLimited = false
  while (!skipPunctuation(scanner, '}')) {
    const option = consumeWord(scanner) ?? ''
    if (ELEMENT_OPTIONS.get(option)?.(scanner) !== true) return undefined
    isLimited ||= LIMITS.has(option)
  }
  return { kind: isLimited ? 'unknownMatch' : 'pass', needs: needsOfKey(key) }
}

/** Creates a reader for statements that change an element of a set; the name of the set follows. */
function readUpdateAfter(skipName: Skip): StatementReader {
  return (scanner) => (skipName(scanner) ? readElementUpdate(scanner) : undefined)
}

export const readCounter: StatementReader = (scanner) => parseCounter(scanner) && PASS
export const readLog: StatementReader = readAs(PASS, skipLog)
/** Reads `used never` or `used 5m`. */
export const readLast: StatementReader = readAs(PASS, skipLast)
export const readSetUpdate: StatementReader = readUpdateAfter((scanner) => consumeSetName(scanner) !== undefined)
export const readMeter: StatementReader = readUpdateAfter(skipAll(skipAnyWord, skipOptions({ size: skipAnyWord })))
export const readFlow: StatementReader = readAs(PASS, skipOneOf('add', 'offload'), skipText)
/** Reads `to 10.0.0.1 device "eth0"`. */
export const readDup: StatementReader = readAs(PASS, skipTarget, skipOptions({ device: skipValue }))
export const readReset: StatementReader = readAs(
  { kind: 'pass', needs: [needProtocol('tcp')] },
  skipOneOf('tcp'),
  skipOneOf('option'),
  skipText,
)
export const readLimit: StatementReader = readAs(UNKNOWN_MATCH, skipLimit)
export const readQuota: StatementReader = readAs(UNKNOWN_MATCH, skipQuota)
/** Reads `num 1-3 bypass,fanout`, `flags bypass to 1-3` or `to numgen inc mod 4`. */
export const readQueue: StatementReader = readAs(
  UNKNOWN_EFFECT,
  skipOptions({ flags: skipFlags }),
  skipOptions({ num: skipValue, to: skipValue }),
  skipOptions({ bypass: skipComma, fanout: skipComma }),
)
export const readSynproxy: StatementReader = readAs(
  { kind: 'unknownEffect', needs: [needProtocol('tcp')] },
  skipOptions({
    timestamp: skipNothing,
    'sack-perm': skipNothing,
    mss: skipText,
    wscale: skipText,
    name: skipText,
  }),
)
/** Reads `ip to 127.0.0.1:8080`. Without a socket at this address, the rule does not match. */
export const readTproxy: StatementReader = readAs(
  { kind: 'unknownEffect', needs: [], mayMatch: true },
  skipFamily,
  skipTarget,
)
export const readForward: StatementReader = readAs(
  UNKNOWN_EFFECT,
  skipFamily,
  skipTarget,
  skipOptions({ device: skipValue }),
)
