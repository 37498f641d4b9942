import { hostMaskOf } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import { parseNumber } from '@kube-rules/compiler/internal/dataplane/iptables/words'
import { ALWAYS, allOf, negateLiteralIf, UNKNOWN } from '../../../../program/literals.js'
import type { Literal } from '../../../../program/program.js'
import { findValue, hasOption, type ModuleOption } from '../module-options.js'
import type { MatchContext, MatchModule } from './match-module.js'

const MAX_SECONDS = 0xffffffff

const ACTIONS: readonly string[] = ['--set', '--rcheck', '--update', '--remove']

/** Returns the literal that a list contains the source of the packet. */
export function seenLiteral(list: string, seconds: number = MAX_SECONDS): Literal {
  return { kind: 'seen', list, seconds }
}

export const recent: MatchModule = {
  name: 'recent',
  meanings: [
    { options: '--set', decision: 'decided', reason: 'always matches' },
    {
      options: '--rcheck, --update, --remove',
      decision: 'decided',
      reason: 'whether the client has a session-affinity entry in the list',
    },
    {
      options: '--hitcount, --rttl',
      decision: 'partly',
      reason: 'does not match without an entry; the packets so far are not known',
    },
    { options: '--rdest, --mask', decision: 'unknown', reason: 'the entries of the list' },
  ],
  syntax: {
    ...{ '--set': 0, '--rcheck': 0, '--update': 0, '--remove': 0, '--name': 1, '--seconds': 1, '--reap': 0 },
    ...{ '--hitcount': 1, '--rttl': 0, '--rsource': 0, '--rdest': 0, '--mask': 1 },
  },
  lower: (options, context) => {
    const [action, ...others] = options.filter(({ name }) => ACTIONS.includes(name))
    if (action === undefined || others.length > 0) return undefined
    const literal = action.name === '--set' ? ALWAYS : lowerCheck(options, context)
    return literal && [negateLiteralIf(action.negated, literal)]
  },
}

function lowerCheck(options: readonly ModuleOption[], { family }: MatchContext): Literal | undefined {
  const mask = findValue(options, '--mask')
  if (hasOption(options, '--rdest') || (mask !== undefined && mask !== hostMaskOf(family))) return UNKNOWN
  const seconds = parseNumber(findValue(options, '--seconds') ?? String(MAX_SECONDS), MAX_SECONDS)
  const hits = parseNumber(findValue(options, '--hitcount') ?? '1', MAX_SECONDS)
  if (seconds === undefined || hits === undefined) return undefined
  const isSeen = seenLiteral(findValue(options, '--name') ?? 'DEFAULT', seconds)
  return hits > 1 || hasOption(options, '--rttl') ? allOf([isSeen, UNKNOWN]) : isSeen
}
