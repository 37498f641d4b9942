import { findValue } from '../module-options.js'
import { actionOf, type TargetModule } from './target-module.js'

const REJECTIONS = { IPv4: 'icmp-port-unreachable', IPv6: 'icmp6-port-unreachable' } as const

const REJECT: TargetModule = {
  name: 'REJECT',
  meanings: [{ options: '', decision: 'decided', reason: 'drops the packet, and answers it' }],
  syntax: { '--reject-with': 1 },
  lower: (options, { family }) =>
    actionOf({ kind: 'reject', with: findValue(options, '--reject-with') ?? REJECTIONS[family] }),
}

export const VERDICT_TARGETS: readonly TargetModule[] = [
  {
    name: 'ACCEPT',
    meanings: [{ options: '', decision: 'decided', reason: 'ends the table at this hook' }],
    syntax: {},
    lower: () => actionOf({ kind: 'accept' }),
  },
  {
    name: 'DROP',
    meanings: [{ options: '', decision: 'decided', reason: 'drops the packet, whatever other tables contain' }],
    syntax: {},
    lower: () => actionOf({ kind: 'drop' }),
  },
  {
    name: 'RETURN',
    meanings: [{ options: '', decision: 'decided', reason: 'continues in the calling chain, or applies the policy' }],
    syntax: {},
    lower: () => actionOf({ kind: 'return' }),
  },
  REJECT,
]
