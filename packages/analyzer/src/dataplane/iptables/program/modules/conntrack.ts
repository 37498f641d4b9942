import { canonicalizeProtocol, parseProtocolNumber } from '@kube-rules/compiler/internal/dataplane/netfilter/protocols'
import { ALWAYS, allOf, anyOf, NEVER, negate, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal, Side } from '../../../../program/program.js'
import {
  IN_BY_LOOPBACK,
  portLiteral,
  protocolLiteral,
  readNetworkLiteral,
  stateLiteral,
  type TableStage,
  trackedLiteral,
} from '../literals.js'
import type { ModuleOption } from '../module-options.js'
import { lowerEach, type MatchContext, type MatchModule } from './match-module.js'
import { MAX_PORT, readNames, readRange } from './read-values.js'

/** The states of `-m state`. */
export const STATES: readonly string[] = ['INVALID', 'NEW', 'RELATED', 'ESTABLISHED', 'UNTRACKED']
const CONNTRACK_STATES: readonly string[] = [...STATES, 'SNAT', 'DNAT']
const STATUSES: readonly string[] = ['NONE', 'EXPECTED', 'SEEN_REPLY', 'ASSURED', 'CONFIRMED']

type LowerValue = (text: string, context: MatchContext) => Literal | undefined

function address(side: Side): LowerValue {
  return (text, { family }) => readNetworkLiteral(side, text, family)
}

function port(side: Side): LowerValue {
  return (text) => {
    const range = readRange(text, MAX_PORT)
    return range && portLiteral(side, [range])
  }
}

const MASQUERADED: Literal = { kind: 'state', states: ['SNAT'] }

/** Lowers an option that compares the source after its translation. The new source is unknown. */
function unlessMasqueraded(lower: LowerValue): LowerValue {
  return (text, context) => {
    const literal = lower(text, context)
    return literal && anyOf([allOf([negate(MASQUERADED), literal]), allOf([MASQUERADED, UNKNOWN])])
  }
}

/** The options that compare the entry of the connection. The reply comes from the translated destination. */
const ENTRY_OPTIONS: Readonly<Record<string, LowerValue>> = {
  '--ctproto': (text) =>
    parseProtocolNumber(text) === undefined ? undefined : protocolLiteral(canonicalizeProtocol(text)),
  '--ctorigsrc': address('source'),
  '--ctorigdst': address('originalDestination'),
  '--ctreplsrc': address('destination'),
  '--ctrepldst': unlessMasqueraded(address('source')),
  '--ctorigsrcport': port('source'),
  '--ctorigdstport': port('originalDestination'),
  '--ctreplsrcport': port('destination'),
  '--ctrepldstport': unlessMasqueraded(port('source')),
  '--ctstatus': lowerStatuses,
  '--ctexpire': lowerExpiration,
  '--ctdir': (text) => lowerDirection(text.toUpperCase()),
}

/** Only packets of the node to itself are confirmed: at POSTROUTING, before they enter through `lo`. */
function lowerStatuses(text: string): Literal | undefined {
  const statuses = readNames(text, STATUSES)
  return statuses && (statuses.includes('CONFIRMED') ? IN_BY_LOOPBACK : NEVER)
}

/** The timer of an entry starts when the entry is confirmed. */
function lowerExpiration(text: string): Literal | undefined {
  const range = readRange(text, 0xffffffff)
  if (range === undefined) return undefined
  return anyOf([allOf([IN_BY_LOOPBACK, UNKNOWN]), allOf([negate(IN_BY_LOOPBACK), range.first === 0 ? ALWAYS : NEVER])])
}

function lowerDirection(direction: string): Literal | undefined {
  if (direction === 'ORIGINAL') return ALWAYS
  return direction === 'REPLY' ? NEVER : undefined
}

const lowerEntryOptions = lowerEach(({ name, values: [text = ''] }, context) => ENTRY_OPTIONS[name]?.(text, context))

export const conntrack: MatchModule = {
  name: 'conntrack',
  meanings: [
    {
      options: '--ctstate',
      decision: 'decided',
      reason:
        'the first packet is `NEW` or `UNTRACKED`, `DNAT` after its destination was translated, and `SNAT` after its source was; in table raw, it is `INVALID` until it is excluded from tracking',
    },
    {
      options: '--ctproto, --ctorigsrc, --ctorigdst, --ctorigsrcport, --ctorigdstport',
      decision: 'decided',
      reason: 'the packet before any translation; an untracked packet does not match, even if the option is negated',
    },
    {
      options: '--ctreplsrc, --ctreplsrcport',
      decision: 'decided',
      reason: 'the destination after translation; an untracked packet does not match',
    },
    {
      options: '--ctrepldst, --ctrepldstport',
      decision: 'partly',
      reason: 'the source, until it is masqueraded; an untracked packet does not match',
    },
    { options: '--ctdir', decision: 'decided', reason: 'the first packet has the direction `ORIGINAL`' },
    {
      options: '--ctstatus',
      decision: 'decided',
      reason:
        'the first packet has no status, but `CONFIRMED` if the node sent it to itself and it enters through `lo`',
    },
    { options: '--ctexpire', decision: 'decided', reason: '0 seconds, until the packet has left the node' },
  ],
  syntax: { '--ctstate': 1, ...Object.fromEntries(Object.keys(ENTRY_OPTIONS).map((name) => [name, 1])) },
  lower: (options, context) => {
    const states = options.filter(({ name }) => name === '--ctstate')
    const others = options.filter(({ name }) => name !== '--ctstate')
    const ofEntry = lowerEntryOptions(others, context)
    if (ofEntry === undefined) return undefined
    const tracked = trackedLiteral(context)
    if (states.length === 0) return [tracked, ...ofEntry]
    const ofState = lowerStates(states, context)
    return ofState && [...ofState, ...(ofEntry.length === 0 ? [] : [anyOf([negate(tracked), allOf(ofEntry)])])]
  },
}

/** For an untracked packet, only the states are compared if there are any. */
function lowerStates(options: readonly ModuleOption[], stage: TableStage): readonly Literal[] | undefined {
  const literals = options.map(({ values: [text], negated }) => {
    const states = readNames(text, CONNTRACK_STATES)
    return states && negateLiteralIf(negated, stateLiteral(states, stage))
  })
  return literals.every((literal) => literal !== undefined) ? literals : undefined
}
