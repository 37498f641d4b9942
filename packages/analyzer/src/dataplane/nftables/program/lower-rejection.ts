import type { IpFamily } from '@kube-rules/types'
import { NEVER } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'

/** Returns the literals that packets can get the message of a reject statement. */
export function rejectionLiterals(words: string | undefined, family: IpFamily): readonly Literal[] {
  const [kind] = words?.split(' ') ?? []
  if (kind === 'tcp') return [{ kind: 'protocol', protocols: ['tcp'] }]
  const isOfOther = (kind === 'icmp' && family === 'IPv6') || (kind === 'icmpv6' && family === 'IPv4')
  return isOfOther ? [NEVER] : []
}

/**
 * Returns the message of a reject statement in iptables notation, so that outcomes of nftables and iptables can be
 * compared.
 */
export function rejectionOf(words: string | undefined, family: IpFamily): string {
  const prefix = family === 'IPv4' ? 'icmp' : 'icmp6'
  if (words === undefined) return `${prefix}-port-unreachable`
  if (words === 'tcp reset') return 'tcp-reset'
  return `${prefix}-${words.split(' ').at(-1)}`
}
