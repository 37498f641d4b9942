import { UNKNOWN } from '../../../../program/literals.js'
import { findValue, hasOption } from '../module-options.js'
import { FORGET_MARK, MARK_TARGETS } from './mark-targets.js'
import { NAT_TARGETS } from './nat-targets.js'
import { type Action, actionOf, type TargetModule } from './target-module.js'
import { VERDICT_TARGETS } from './verdict-targets.js'

/** Creates a target after which the packet continues, without a change of `KernelPacket`. */
function createPassingTarget(name: string, reason: string): TargetModule {
  return { name, meanings: [{ options: '', decision: 'irrelevant', reason }], lower: () => actionOf() }
}

/** Creates a target after which a packet cannot be followed. */
function createUnknownTarget(name: string, reason: string): TargetModule {
  return { name, meanings: [{ options: '', decision: 'unknown', reason }], lower: () => undefined }
}

const PASSING_TARGETS = [
  ['AUDIT', 'writes an audit record'],
  ['CHECKSUM', 'computes the checksum'],
  ['CLASSIFY', 'sets the priority for queueing disciplines'],
  ['CONNSECMARK', 'copies the security mark'],
  ['DSCP', 'sets a field that no match can compare'],
  ['ECN', 'removes bits that no match can compare'],
  ['HL', 'sets a field that no match can compare'],
  ['IDLETIMER', 'starts a timer'],
  ['LED', 'switches an LED'],
  ['LOG', 'writes to the kernel log'],
  ['NFLOG', 'passes a copy to a program'],
  ['RATEEST', 'counts for an estimator'],
  ['SECMARK', 'sets the security mark'],
  ['TCPMSS', 'sets an option that no match can compare'],
  ['TCPOPTSTRIP', 'removes options that no match can compare'],
  ['TEE', 'sends a copy, which is not followed'],
  ['TOS', 'sets a field that no match can compare'],
  ['TRACE', 'logs the rules that match'],
  ['TTL', 'sets a field that no match can compare'],
  ['ULOG', 'passes a copy to a program'],
].map(([name = '', reason = '']) => createPassingTarget(name, reason))

const UNKNOWN_TARGETS = [
  ['CLUSTERIP', 'a hash of the packet chooses the node that accepts it'],
  ['DNPT', 'replaces the prefix of the destination'],
  ['NETMAP', 'replaces the prefix of an address'],
  ['SNPT', 'replaces the prefix of the source'],
  ['SYNPROXY', 'the node answers the first packet, and does not forward it'],
  ['TPROXY', 'a local socket receives the packet, or it is dropped'],
].map(([name = '', reason = '']) => createUnknownTarget(name, reason))

const SET: TargetModule = {
  name: 'SET',
  meanings: [
    { options: '--add-set, --del-set', decision: 'irrelevant', reason: 'later lookups use the elements of the dump' },
    { options: '--map-set', decision: 'unknown', reason: 'the mark is unknown from here on' },
  ],
  syntax: {
    ...{ '--add-set': 2, '--del-set': 2, '--timeout': 1, '--exist': 0 },
    ...{ '--map-set': 2, '--map-mark': 0, '--map-prio': 0, '--map-queue': 0 },
  },
  lower: (options) => (hasOption(options, '--map-mark') ? FORGET_MARK : actionOf()),
}

/** Returns the actions of a queue. With a bypass, the packet leaves the base chain if no program reads the queue. */
function lowerQueue(name: string): readonly Action[] {
  return [
    {
      literals: [UNKNOWN],
      effects: [{ kind: 'unknown', reason: `a program that reads netfilter queue ${name} decides` }],
      condition: () => `a program reads netfilter queue ${name}`,
    },
    { effects: [{ kind: 'accept' }] },
  ]
}

const NFQUEUE: TargetModule = {
  name: 'NFQUEUE',
  meanings: [
    {
      options: '--queue-bypass',
      decision: 'decided',
      reason: 'accepted if no program reads the queue, which is an assumption; a program may do anything',
    },
    {
      options: 'without `--queue-bypass`',
      decision: 'unknown',
      reason: 'a program decides; dropped without a program',
    },
  ],
  syntax: { '--queue-num': 1, '--queue-balance': 1, '--queue-bypass': 0, '--queue-cpu-fanout': 0 },
  lower: (options) => {
    if (!hasOption(options, '--queue-bypass')) return undefined
    return lowerQueue(findValue(options, '--queue-balance') ?? findValue(options, '--queue-num') ?? '0')
  },
}

const QUEUE = createUnknownTarget('QUEUE', 'a program decides; dropped without a program')

/** The targets of iptables(8) and iptables-extensions(8). */
export const TARGET_MODULES: readonly TargetModule[] = [
  ...[...VERDICT_TARGETS, ...NAT_TARGETS, ...MARK_TARGETS, SET, NFQUEUE, QUEUE],
  ...[...PASSING_TARGETS, ...UNKNOWN_TARGETS],
]

const BY_NAME: ReadonlyMap<string, TargetModule> = new Map(TARGET_MODULES.map((target) => [target.name, target]))

/** Returns the target with a name; undefined for a target of other programs. */
export function findTargetModule(name: string): TargetModule | undefined {
  return BY_NAME.get(name)
}
