import { parseMark } from '@kube-rules/compiler/internal/dataplane/iptables/mark'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { ALWAYS, NEVER, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { markLiteral, stateLiteral, trackedLiteral } from '../literals.js'
import { findOption, findValue, hasOption } from '../module-options.js'
import { conntrack, STATES } from './conntrack.js'
import { lowerEach, type MatchModule } from './match-module.js'
import { readNames, readRange } from './read-values.js'

const state: MatchModule = {
  name: 'state',
  meanings: [
    { options: '', decision: 'decided', reason: 'the first packet is `NEW` or `UNTRACKED`, or `INVALID` in table raw' },
  ],
  syntax: { '--state': 1 },
  lower: lowerEach(({ values: [text] }, context) => {
    const states = readNames(text, STATES)
    return states && stateLiteral(states, context)
  }),
}

const lowerConnectionMark = lowerEach(({ values: [text] }) => {
  const mark = parseMark(text)
  return mark && markLiteral('connection', mark)
})

const connmark: MatchModule = {
  name: 'connmark',
  meanings: [
    {
      options: '',
      decision: 'decided',
      reason: '0 unless a rule sets it on the path; an untracked packet does not match, even if the match is negated',
    },
  ],
  syntax: { '--mark': 1 },
  lower: (options, context) => {
    const literals = lowerConnectionMark(options, context)
    return literals && [trackedLiteral(context), ...literals]
  },
}

const connlabel: MatchModule = {
  name: 'connlabel',
  meanings: [
    { options: '--label', decision: 'decided', reason: 'a new connection has no label' },
    { options: '--set', decision: 'decided', reason: 'sets the label, and matches tracked packets' },
  ],
  syntax: { '--label': 1, '--set': 0 },
  lower: (options, context) => {
    const label = findOption(options, '--label')
    return label && [negateLiteralIf(label.negated, hasOption(options, '--set') ? trackedLiteral(context) : NEVER)]
  },
}

const MAX_BYTES = Number.MAX_SAFE_INTEGER

const connbytes: MatchModule = {
  name: 'connbytes',
  meanings: [
    {
      options: '--connbytes-mode packets',
      decision: 'decided',
      reason: 'the first packet is counted itself; an untracked packet does not match, even if the match is negated',
    },
    {
      options: '--connbytes-mode bytes, --connbytes-mode avgpkt',
      decision: 'partly',
      reason: 'the length of the packet is not known',
    },
  ],
  syntax: { '--connbytes': 1, '--connbytes-dir': 1, '--connbytes-mode': 1 },
  lower: (options, context) => {
    const bytes = findOption(options, '--connbytes')
    const [text] = bytes?.values ?? []
    const range = readRange(text?.includes(':') ? text : `${text}:`, MAX_BYTES)
    const count = countOf(findValue(options, '--connbytes-dir'), findValue(options, '--connbytes-mode'))
    if (bytes === undefined || range === undefined || count === undefined) return undefined
    const tracked = trackedLiteral(context)
    if (count === 'unknown') return [tracked, UNKNOWN]
    // The tool exchanges the ends of a negated range, which the kernel does not notice if the ends are equal.
    const negated = bytes.negated && range.first !== range.last
    return [tracked, negateLiteralIf(negated, count >= range.first && count <= range.last ? ALWAYS : NEVER)]
  },
}

/** Returns the number of packets or bytes of a new connection. Undefined for unknown words. */
function countOf(direction: string | undefined, mode: string | undefined): number | 'unknown' | undefined {
  if (mode !== 'packets' && mode !== 'bytes' && mode !== 'avgpkt') return undefined
  switch (direction) {
    case 'reply':
      return 0
    case 'original':
    case 'both':
      return mode === 'packets' ? 1 : 'unknown'
    default:
      return undefined
  }
}

const connlimit: MatchModule = {
  name: 'connlimit',
  meanings: [
    {
      options: '',
      decision: 'partly',
      reason: 'the new connection is counted, so that there are more than 0; the number of others is not known',
    },
  ],
  syntax: {
    ...{ '--connlimit-above': 1, '--connlimit-upto': 1 },
    ...{ '--connlimit-mask': 1, '--connlimit-saddr': 0, '--connlimit-daddr': 0 },
  },
  lower: (options, context) => {
    const limits = options.filter(({ name }) => name === '--connlimit-above' || name === '--connlimit-upto')
    return lowerEach(({ name, values: [text] }) => lowerConnectionLimit(name, parseNumber(text, 0xffffffff)))(
      limits,
      context,
    )
  },
}

function lowerConnectionLimit(name: string, limit: number | undefined): Literal | undefined {
  if (limit === undefined) return undefined
  if (limit > 0) return UNKNOWN
  return name === '--connlimit-above' ? ALWAYS : NEVER
}

const helper: MatchModule = {
  name: 'helper',
  meanings: [
    { options: '', decision: 'decided', reason: 'only related connections have a helper of another connection' },
  ],
  syntax: { '--helper': 1 },
  lower: lowerEach(() => NEVER),
}

const cluster: MatchModule = {
  name: 'cluster',
  meanings: [
    {
      options: '',
      decision: 'partly',
      reason: 'an untracked packet does not match; the hash of other packets is not computed',
    },
  ],
  lower: (_, context) => [trackedLiteral(context), UNKNOWN],
}

export const CONNECTION_MODULES: readonly MatchModule[] = [
  conntrack,
  state,
  connmark,
  connlabel,
  connbytes,
  connlimit,
  helper,
  cluster,
]
