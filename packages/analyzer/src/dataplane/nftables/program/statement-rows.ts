import { parseReject } from '../parse/parse-statement.js'
import {
  readCounter,
  readDup,
  readFlow,
  readForward,
  readLast,
  readLimit,
  readLog,
  readMeter,
  readQueue,
  readQuota,
  readReset,
  readSetUpdate,
  readSynproxy,
  readTproxy,
  type StatementReader,
} from './read-side-effect.js'
import { readTranslation } from './read-translation.js'
import { readVerdict } from './read-verdict.js'

/** Whether the effect of a statement on the first packet of a connection is known. */
export type StatementDecision =
  | 'decided'
  /** The packet continues, and no other rule reads the change. */
  | 'irrelevant'
  | 'unknown'

/** A statement of nft(8) that begins with a word of its own. */
export interface StatementRow {
  /** The first words of the statements. */
  readonly words: readonly string[]
  readonly read: StatementReader
  readonly example: string
  readonly decision: StatementDecision
  /** The effect of the statement, or the reason why the effect is unknown. */
  readonly reason: string
}

/** The statements of nft(8) other than those that begin with a selector. */
export const STATEMENT_ROWS: readonly StatementRow[] = [
  row('accept', readVerdict('accept'), 'accept', 'decided', 'ends the base chain'),
  row('drop', readVerdict('drop'), 'drop', 'decided', 'ends the path'),
  row('return', readVerdict('return'), 'return', 'decided', 'continues in the calling chain, or applies the policy'),
  row('continue', readVerdict('continue'), 'continue', 'decided', 'continues at the next rule'),
  row('jump', readVerdict('jump'), 'jump c', 'decided', 'continues in the chain, and then at the next rule'),
  row('goto', readVerdict('goto'), 'goto c', 'decided', 'continues in the chain, and then in the calling chain'),
  row(
    'reject',
    parseReject,
    'reject with icmp host-unreachable',
    'decided',
    'ends the path of packets with the family or protocol of the message',
  ),
  row(
    'dnat',
    readTranslation('dnat'),
    'dnat ip to 10.0.0.1-10.0.0.3:80',
    'decided',
    'replaces the destination, with one path for each of up to 16 addresses; the kernel keeps a port of a range; the result of `prefix` is unknown; does nothing with packets of another family',
  ),
  row(
    'redirect',
    readTranslation('redirect'),
    'redirect to :8080',
    'decided',
    'replaces the destination with an address of the node',
  ),
  row(
    'snat',
    readTranslation('snat'),
    'snat ip to 192.0.2.1',
    'decided',
    'replaces the source; does nothing with packets of another family',
  ),
  row(
    'masquerade',
    readTranslation('masquerade'),
    'masquerade',
    'decided',
    'replaces the source with an address of the node',
  ),
  row(
    'notrack',
    () => ({ kind: 'untrack' }),
    'notrack',
    'decided',
    'before priority -200, excludes the packet from connection tracking; after it, does nothing',
  ),
  row('counter', readCounter, 'counter packets 0 bytes 0', 'irrelevant', 'counts'),
  row('log', readLog, 'log prefix "x" level debug', 'irrelevant', 'logs'),
  row('last', readLast, 'last used never', 'irrelevant', 'stores the time'),
  row(
    'add update delete',
    readSetUpdate,
    'update @s { ip saddr timeout 5s }',
    'irrelevant',
    'matches, and changes a set for later packets; unknown if elements have a limit or quota',
  ),
  row('flow', readFlow, 'flow add @f', 'irrelevant', 'only later packets take another path'),
  row('dup', readDup, 'dup to 10.0.0.1', 'irrelevant', 'sends a copy'),
  row('reset', readReset, 'reset tcp option timestamp', 'irrelevant', 'selectors of options are unknown'),
  row('limit', readLimit, 'limit rate 5/second', 'unknown', 'matches or not, depending on earlier packets'),
  row('quota', readQuota, 'quota over 10 mbytes', 'unknown', 'matches or not, depending on earlier packets'),
  row(
    'meter',
    readMeter,
    'meter m { ip saddr limit rate 5/second }',
    'unknown',
    'matches or not, depending on earlier packets',
  ),
  row('queue', readQueue, 'queue num 1', 'unknown', 'a process decides'),
  row('synproxy', readSynproxy, 'synproxy mss 1460', 'unknown', 'the node answers instead of the destination'),
  row(
    'tproxy',
    readTproxy,
    'tproxy to :8080',
    'unknown',
    'a process may receive the packet; without a socket, the rule does not match',
  ),
  row('fwd', readForward, 'fwd to "eth0"', 'unknown', 'the packet leaves through another interface'),
]

function row(
  words: string,
  read: StatementReader,
  example: string,
  decision: StatementDecision,
  reason: string,
): StatementRow {
  return { words: words.split(' '), read, example, decision, reason }
}
