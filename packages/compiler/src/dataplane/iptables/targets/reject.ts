import type { IpFamily } from '@kube-rules/types'
import type { RejectTarget } from '../ast.js'
import { checkPlainWord } from '../quote.js'
import { consumeWord, skipWord, type WordCursor } from '../words.js'
import type { TargetPrinter } from './operations.js'

/** The short names of the ICMP messages, by family. In contrast, iptables-save prints the long names. */
const ALIASES: Readonly<Record<IpFamily, ReadonlyMap<string, string>>> = {
  IPv4: new Map([
    ['net-unreach', 'icmp-net-unreachable'],
    ['host-unreach', 'icmp-host-unreachable'],
    ['proto-unreach', 'icmp-proto-unreachable'],
    ['port-unreach', 'icmp-port-unreachable'],
    ['net-prohib', 'icmp-net-prohibited'],
    ['host-prohib', 'icmp-host-prohibited'],
    ['admin-prohib', 'icmp-admin-prohibited'],
    ['tcp-rst', 'tcp-reset'],
  ]),
  IPv6: new Map([
    ['no-route', 'icmp6-no-route'],
    ['adm-prohibited', 'icmp6-adm-prohibited'],
    ['addr-unreach', 'icmp6-addr-unreachable'],
    ['port-unreach', 'icmp6-port-unreachable'],
    ['policy-fail', 'icmp6-policy-fail'],
    ['reject-route', 'icmp6-reject-route'],
  ]),
}

const DEFAULT: Readonly<Record<IpFamily, string>> = { IPv4: 'icmp-port-unreachable', IPv6: 'icmp6-port-unreachable' }

/** `-j REJECT [--reject-with ANSWER]`. iptables-save always prints the answer, even if it is the default. */
export const rejectTargetPrinter: TargetPrinter<RejectTarget> = {
  print: (target) =>
    target.with === undefined ? '-j REJECT' : `-j REJECT --reject-with ${checkPlainWord(target.with)}`,
  list: (target) => (target.with === undefined ? '' : `reject-with ${checkPlainWord(target.with)}`),
  canonical: (target, family) => {
    const answer = target.with ?? DEFAULT[family]
    return { kind: 'reject', with: ALIASES[family].get(answer) ?? answer }
  },
}

export function parseRejectTarget(words: WordCursor): RejectTarget | undefined {
  if (!skipWord(words, '--reject-with')) return { kind: 'reject' }
  const answer = consumeWord(words)
  return answer === undefined || answer === '' ? undefined : { kind: 'reject', with: answer }
}
