import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import { stepsOfPath } from '../../../../src/program/path-state.js'
import { runBaseChain } from '../../../../src/program/run-chain.js'
import { kernelPacket, nodeFacts, pathState, runContext } from '../../../program/programs.js'
import { baseChainsOf, tableWith } from './lowered-tables.js'

const POD: Partial<KernelPacket> = { sourcePort: 4711 }
const POD6: Partial<KernelPacket> = { ...POD, family: 'IPv6', source: 'fd00::9', destination: 'fd00::1' }

const MAPS = `	map backends {
		type ipv4_addr : ipv4_addr
		elements = { 10.96.0.10 : 10.244.1.5 }
	}
	map ports {
		type inet_service : inet_service
		elements = { 80 : 8080 }
	}
`

/** Follows a packet through a rule of a nat chain: its new destination, `masqueraded`, or its end. */
function translationsOf(
  rule: string,
  packet: Partial<KernelPacket> = POD,
  hook: Hook = 'PREROUTING',
): readonly string[] {
  const { family = 'IPv4' } = packet
  const [base] = baseChainsOf(tableWith(`${rule}\ndrop`, { type: 'nat', hook, more: MAPS }), family)
  if (base === undefined) throw new Error('the table has no base chain')
  const path = pathState({ packet: kernelPacket(packet) })
  return runBaseChain(base.chain, path, runContext({ hook, facts: nodeFacts() })).map(({ path: result, exit }) => {
    const { packet: end, assumptions } = result
    if (typeof exit !== 'string' && exit.kind === 'unknown') return exit.reason
    if (typeof exit === 'string' || exit.kind !== 'next') return 'not translated'
    const [step] = stepsOfPath(result)
    const assumed = assumptions.map(({ condition }) => `${condition.split(' ').at(-1)}: `).join('')
    const address = end.destination.includes(':') ? `[${end.destination}]` : end.destination
    return `${assumed}${end.masqueraded ? 'masqueraded' : `${end.translatedBy} ${address}:${end.destinationPort}`} (${step?.rewrites})`
  })
}

describe('a translation of the destination', () => {
  it.each<[string, readonly string[], Partial<KernelPacket>?]>([
    ['dnat to 10.244.1.5', ['dnat 10.244.1.5:80 (destination)']],
    ['dnat ip to 10.244.1.5', ['dnat 10.244.1.5:80 (destination)']],
    ['dnat ip to 10.244.1.5:8080', ['dnat 10.244.1.5:8080 (destination)']],
    ['dnat ip to 10.244.1.5:8080 random,persistent', ['dnat 10.244.1.5:8080 (destination)']],
    ['dnat ip to 10.244.1.5 fully-random', ['dnat 10.244.1.5:80 (destination)']],
    ['tcp dport 80 dnat to :8080', ['dnat 10.96.0.10:8080 (destination)']],
    ['tcp dport 81 dnat to :8080', ['not translated']],
    ['dnat ip6 to [fd00::5]:8080', ['dnat [fd00::5]:8080 (destination)'], POD6],
    // A translation of the other family does nothing.
    ['dnat ip6 to fd00::5', ['not translated']],
    ['dnat ip to 10.244.1.5', ['not translated'], POD6],
    [
      'dnat ip to 10.244.1.5-10.244.1.6',
      ['10.244.1.5: dnat 10.244.1.5:80 (destination)', '10.244.1.6: dnat 10.244.1.6:80 (destination)'],
    ],
    [
      'dnat ip to 10.244.1.4/31:8080',
      ['10.244.1.4: dnat 10.244.1.4:8080 (destination)', '10.244.1.5: dnat 10.244.1.5:8080 (destination)'],
    ],
    ['dnat ip to 10.244.0.0/16', ['the destination of dnat ip to 10.244.0.0/16 cannot be determined']],
    // The kernel keeps a port of the range.
    ['dnat ip to 10.244.1.5:79-81', ['dnat 10.244.1.5:80 (destination)']],
    ['dnat ip to 10.244.1.5:8080-8090', ['dnat 10.244.1.5:8080 (destination)']],
    [
      'dnat ip to 10.244.1.5:8080-8090 random',
      ['the destination of dnat ip to 10.244.1.5:8080-8090 random cannot be determined'],
    ],
    ['dnat ip prefix to 10.0.0.0/24', ['the destination of dnat ip prefix to 10.0.0.0/24 cannot be determined']],
    ['dnat ip to tcp dport map { 80 : 10.244.1.5, 81 : 10.244.1.6 }', ['dnat 10.244.1.5:80 (destination)']],
    ['dnat ip addr . port to tcp dport map { 80 : 10.244.1.5 . 8080 }', ['dnat 10.244.1.5:8080 (destination)']],
    ['dnat ip to tcp dport map { 81 : 10.244.1.5 }', ['not translated']],
    ['dnat ip to udp dport map { 80 : 10.244.1.5 }', ['not translated']],
    ['dnat ip to ip daddr map @backends', ['dnat 10.244.1.5:80 (destination)']],
    ['dnat ip to ip saddr map @backends', ['not translated']],
    ['dnat ip to ip daddr map @missing', ['the destination of dnat ip to ip daddr map @missing cannot be determined']],
    ['dnat ip to numgen random mod 1 map { 0 : 10.244.1.5 }', ['dnat 10.244.1.5:80 (destination)']],
    [
      'dnat ip to numgen inc mod 2 map { 0 : 10.244.1.5, 1 : 10.244.1.6 }',
      ['0: dnat 10.244.1.5:80 (destination)', '1: dnat 10.244.1.6:80 (destination)'],
    ],
    [
      'dnat ip to jhash ip saddr mod 2 map { 0 : 10.244.1.5 }',
      ['0: dnat 10.244.1.5:80 (destination)', 'not translated'],
    ],
    ['tcp dport 80 dnat to :tcp dport map @ports', ['dnat 10.96.0.10:8080 (destination)']],
    ['dnat ip interval to tcp dport map { 80 : 10.244.1.5 }', ['dnat 10.244.1.5:80 (destination)']],
    ['redirect', ['redirectToInterface 127.0.0.1:80 (destination)']],
    ['redirect to :8080', ['redirectToInterface 127.0.0.1:8080 (destination)']],
    ['redirect to :8080 random', ['redirectToInterface 127.0.0.1:8080 (destination)']],
    ['redirect to :8080-8090', ['redirectToInterface 127.0.0.1:8080 (destination)']],
    ['redirect to :80-90', ['redirectToInterface 127.0.0.1:80 (destination)']],
    ['redirect to :8080-8090 random', ['the destination of redirect to :8080-8090 random cannot be determined']],
    ['redirect to :8080', ['redirect 127.0.0.1:8080 (destination)'], { ...POD, inInterface: '' }],
    ['redirect to tcp dport map { 80 : 8080 }', ['redirectToInterface 127.0.0.1:8080 (destination)']],
    ['redirect to :tcp dport map @ports', ['redirectToInterface 127.0.0.1:8080 (destination)']],
    ['redirect to :tcp dport map { 81 : 8080 }', ['not translated']],
  ])('%s: %s', (rule, expected, packet = POD) => {
    expect(translationsOf(rule, packet)).toEqual(expected)
  })
})

describe('a translation to an element with data that is not one address or port', () => {
  it.each([
    'dnat ip to tcp dport map { 80 : other }',
    'dnat ip to tcp dport map { 80 : drop }',
    'dnat ip to tcp dport map { 80 : 10.244.1.5 . 8080-8090 }',
    'dnat ip to tcp dport map { 80 : 10.244.1.5 . 8080 . 1 }',
    'dnat ip to tcp dport map { 80 : 8080 . 10.244.1.5 }',
    'dnat ip to tcp dport map { 80 : 10.244.1.0/24 }',
    'redirect to :tcp dport map { 80 : 8080-8090 }',
    'redirect to tcp dport map { 80 : 10.244.1.5 . 8080 }',
    'dnat ip to tcp dport map { 80 : 10.244.1.5 . host }',
  ])('%s', (rule) => {
    const [end, ...others] = translationsOf(rule)
    expect(others).toEqual([])
    expect(end).toMatch(/^the destination of .* cannot be determined$/)
  })
})

describe('a translation of the source', () => {
  it.each([
    'masquerade',
    'masquerade fully-random',
    'masquerade random,persistent',
    'meta l4proto tcp masquerade to :1024-65535',
    'snat to 192.0.2.1',
    'snat ip to 192.0.2.1:1024-2048 random',
    'snat ip to 192.0.2.0/28 persistent',
    'snat ip to ip saddr map { 10.244.0.9 : 192.0.2.1 }',
    'snat ip prefix to ip saddr map { 10.244.0.0/24 : 192.0.2.0/24 }',
  ])('%s', (rule) => {
    expect(translationsOf(rule, POD, 'POSTROUTING')).toEqual(['masqueraded (source)'])
  })

  it('does not translate a packet if its source is not in the map', () => {
    expect(translationsOf('snat ip to ip saddr map { 10.0.0.1 : 192.0.2.1 }', POD, 'POSTROUTING')).toEqual([
      'not translated',
    ])
  })
})

describe('a statement that takes packets elsewhere', () => {
  it.each([
    ['queue', ['the effect of queue is unknown']],
    ['queue flags bypass to 1-3', ['the effect of queue flags bypass to 1-3 is unknown']],
    ['queue num 1 bypass', ['the effect of queue num 1 bypass is unknown']],
    ['fwd to "eth0"', ['the effect of fwd to "eth0" is unknown']],
    [
      'synproxy mss 1460 wscale 7 timestamp sack-perm',
      ['the effect of synproxy mss 1460 wscale 7 timestamp sack-perm is unknown'],
    ],
    ['udp dport 80 queue', ['not translated']],
    ['ip daddr set 10.0.0.1', ['the effect of ip daddr set 10.0.0.1 is unknown']],
    ['tcp dport set 8080', ['the effect of tcp dport set 8080 is unknown']],
    // Without a socket, the rule does not match.
    ['tproxy to :8080 accept', ['the effect of tproxy to :8080 is unknown', 'not translated']],
    [
      'tcp dport 80 tproxy ip to 127.0.0.1:8080 meta mark set 1 accept',
      ['the effect of tproxy ip to 127.0.0.1:8080 is unknown', 'not translated'],
    ],
    ['xt target "MASQUERADE"', ['the effect of xt target "MASQUERADE" is unknown']],
  ])('%s', (rule, expected) => {
    expect(translationsOf(rule)).toEqual(expected)
  })

  it('does not follow synproxy for other protocols', () => {
    expect(translationsOf('synproxy mss 1460', { ...POD, protocol: 'udp' })).toEqual(['not translated'])
  })
})
