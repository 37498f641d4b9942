import { parseMark } from '@kube-rules/compiler/internal/dataplane/iptables/mark'
import {
  isProbability,
  probabilityToFraction,
} from '@kube-rules/compiler/internal/dataplane/iptables/matches/statistic'
import { ALWAYS, NEVER, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { markLiteral } from '../literals.js'
import { findOption, findValue, type ModuleOption } from '../module-options.js'
import { createConstantModule, lowerEach, type MatchModule } from './match-module.js'

const mark: MatchModule = {
  name: 'mark',
  meanings: [
    {
      options: '',
      decision: 'decided',
      reason: 'the mark that earlier rules set; a process of the node may set another one',
    },
  ],
  syntax: { '--mark': 1 },
  lower: lowerEach(({ values: [text] }) => {
    const value = parseMark(text)
    return value && markLiteral('packet', value)
  }),
}

const comment: MatchModule = {
  name: 'comment',
  meanings: [{ options: '', decision: 'decided', reason: 'always matches' }],
  syntax: { '--comment': 1 },
  lower: () => [],
}

const nfacct: MatchModule = {
  name: 'nfacct',
  meanings: [{ options: '', decision: 'decided', reason: 'always matches; quotas of nfacct are not known' }],
  syntax: { '--nfacct-name': 1 },
  lower: () => [],
}

/** Returns the literal of a random choice. */
export function chanceLiteral(probability: string): Literal {
  return { kind: 'chance', share: probabilityToFraction(probability) }
}

const statistic: MatchModule = {
  name: 'statistic',
  meanings: [
    { options: '--mode random', decision: 'decided', reason: 'matches with the probability' },
    { options: '--mode nth', decision: 'unknown', reason: 'the number of packets so far' },
  ],
  syntax: { '--mode': 1, '--probability': 1, '--every': 1, '--packet': 1 },
  lower: (options) => {
    const mode = findValue(options, '--mode')
    const literal = mode === 'random' ? lowerRandom(options) : mode === 'nth' ? lowerNth(options) : undefined
    return literal && [literal]
  },
}

function lowerRandom(options: readonly ModuleOption[]): Literal | undefined {
  const option = findOption(options, '--probability')
  const [probability] = option?.values ?? []
  if (option === undefined || probability === undefined || !isProbability(probability)) return undefined
  return negateLiteralIf(option.negated, chanceLiteral(probability))
}

function lowerNth(options: readonly ModuleOption[]): Literal | undefined {
  const every = findOption(options, '--every')
  return every && (every.values[0] === '1' ? negateLiteralIf(every.negated, ALWAYS) : UNKNOWN)
}

const quota: MatchModule = {
  name: 'quota',
  meanings: [
    { options: '', decision: 'partly', reason: 'a quota of 0 bytes is exceeded; the bytes so far are not known' },
  ],
  syntax: { '--quota': 1 },
  lower: lowerEach(({ values: [bytes] }) => (bytes === '0' ? NEVER : UNKNOWN)),
}

const UNKNOWN_COUNTERS = [
  ['limit', 'the number of packets so far; a new limit matches'],
  ['hashlimit', 'the number of packets so far'],
  ['time', 'the time of the packet'],
  ['rateest', 'the rates of the estimators'],
].map(([name = '', reason = '']) => createConstantModule(name, 'unknown', [UNKNOWN], reason))

export const COUNTER_MODULES: readonly MatchModule[] = [
  ...[mark, comment, nfacct, statistic, quota],
  ...UNKNOWN_COUNTERS,
]
