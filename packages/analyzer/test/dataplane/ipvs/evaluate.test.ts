import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../../compiler/src/dataplane/netfilter/hooks.js'
import type { KernelPacket } from '../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { formatFraction, ONE_FRACTION } from '../../../../compiler/src/internal/fraction.js'
import { facts, kernelPacket } from '../../../../compiler/test/support/passages.js'
import { createIpvsHookHandlers } from '../../../src/dataplane/ipvs/evaluate.js'
import { parseIpvs } from '../../../src/dataplane/ipvs/parse.js'
import type { HandlerResult } from '../../../src/dataplane/netfilter/path-state.js'

const SAVED = `-A -t 10.96.0.1:80 -s rr
-a -t 10.96.0.1:80 -r 10.244.1.1:8080 -m -w 1
-a -t 10.96.0.1:80 -r 10.244.1.2:8080 -m -w 1
-a -t 10.96.0.1:80 -r 10.244.1.3:8080 -m -w 0
-A -t 10.96.0.2:80 -s wrr
-a -t 10.96.0.2:80 -r 10.244.1.1:8080 -m -w 3
-a -t 10.96.0.2:80 -r 10.244.1.2:8080 -m -w 1
-A -u 10.96.0.2:80 -s lc
-a -u 10.96.0.2:80 -r 10.244.1.1:8080 -m -w 1
-a -u 10.96.0.2:80 -r 10.244.1.2:8080 -m -w 1
-A -t 10.96.0.3:80 -s rr
-A -t 10.96.0.4:80 -s rr -p 10800
-a -t 10.96.0.4:80 -r 10.244.1.1:8080 -m -w 1
-a -t 10.96.0.4:80 -r 10.244.1.2:8080 -m -w 0
-A -t 10.96.0.5:0 -s rr -p 360
-a -t 10.96.0.5:0 -r 10.244.1.1:0 -m -w 1
-A -t 10.96.0.6:443 -s rr
-a -t 10.96.0.6:443 -r 192.168.0.2:6443 -m -w 1
-A -t 10.96.0.7:443 -s rr
-a -t 10.96.0.7:443 -r 192.168.0.9:6443 -m -w 1
-A -t 10.96.0.8:80 -s sh
-a -t 10.96.0.8:80 -r 10.244.1.1:8080 -m -w 1
-a -t 10.96.0.8:80 -r 10.244.1.2:8080 -m -w 0
`

const persistent = (virtualServer: string, client: string) =>
  virtualServer === '10.96.0.4:80/TCP' && client === '203.0.113.2' ? '10.244.1.2:8080' : undefined

function visit(hook: Hook, packet: Partial<KernelPacket>, saved = SAVED): readonly HandlerResult[] {
  const parsed = parseIpvs(saved)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const around = facts({ persistentServer: persistent })
  const hookHandler = createIpvsHookHandlers(parsed.value, around).find((each) => each.hook === hook)
  const weight = ONE_FRACTION
  return (
    hookHandler?.visit({
      weight,
      assumptions: [],
      packet: kernelPacket(packet),
      budget: { rules: 1, forks: 1, choices: 10 },
    }) ?? []
  )
}

/** Formats `output 10.244.1.1:8080 1/2`: departure, destination and weight. */
function summary(result: readonly HandlerResult[]): readonly string[] {
  return result.map(({ verdict, packet, weight, assumptions }) =>
    [
      verdict.kind,
      `${packet.destination}:${packet.destinationPort}`,
      formatFraction(weight),
      ...assumptions.map(({ condition, value }) => `${value}: ${condition}`),
    ].join(' '),
  )
}

describe('a virtual server', () => {
  it.each<[string, Partial<KernelPacket>, readonly string[]]>([
    [
      'selects all real servers with equal probability if the scheduler is rr',
      {},
      ['output 10.244.1.1:8080 1/2', 'output 10.244.1.2:8080 1/2'],
    ],
    [
      'selects real servers by weight if the scheduler is wrr',
      { destination: '10.96.0.2' },
      ['output 10.244.1.1:8080 3/4', 'output 10.244.1.2:8080 1/4'],
    ],
    [
      'may select any real server if the scheduler counts connections',
      { destination: '10.96.0.2', protocol: 'udp' },
      [
        'output 10.244.1.1:8080 1 true: ipvs: lc chooses 10.244.1.1:8080',
        'output 10.244.1.2:8080 1 true: ipvs: lc chooses 10.244.1.2:8080',
      ],
    ],
    ['selects the only real server without an assumption', { destination: '10.96.0.8' }, ['output 10.244.1.1:8080 1']],
    ['rejects packets if it has no real servers', { destination: '10.96.0.3' }, ['rejected 10.96.0.3:80 1']],
    [
      'selects the previous real server for a client with a persistence entry',
      { destination: '10.96.0.4' },
      ['output 10.244.1.2:8080 1'],
    ],
    [
      'selects a real server for a client without a persistence entry',
      { destination: '10.96.0.4', source: '203.0.113.3' },
      ['output 10.244.1.1:8080 1'],
    ],
    [
      'accepts packets to every port if its port is 0',
      { destination: '10.96.0.5', destinationPort: 1234 },
      ['output 10.244.1.1:1234 1'],
    ],
    [
      'delivers a packet to the node if the real server is an address of the node',
      { destination: '10.96.0.6', destinationPort: 443 },
      ['next 192.168.0.2:6443 1'],
    ],
    [
      'has two paths if a real server may be an address of the node',
      { destination: '10.96.0.7', destinationPort: 443 },
      [
        'next 192.168.0.9:6443 1 true: 192.168.0.9 is an address of the node',
        'output 192.168.0.9:6443 1 false: 192.168.0.9 is an address of the node',
      ],
    ],
    ['ignores packets to other ports', { destinationPort: 81 }, ['next 10.96.0.1:81 1']],
    ['ignores packets of other protocols', { protocol: 'sctp' }, ['next 10.96.0.1:80 1']],
  ])('%s', (_, packet, expected) => {
    for (const hook of ['INPUT', 'OUTPUT'] as const) expect(summary(visit(hook, packet))).toEqual(expected)
  })

  it('handles a packet only once, in INPUT or OUTPUT', () => {
    expect(visit('PREROUTING', {})).toEqual([])
    const virtualServer = { address: '10.96.0.1', port: 80, protocol: 'tcp' }
    expect(summary(visit('OUTPUT', { virtualServer }))).toEqual(['next 10.96.0.1:80 1'])
  })

  it('rejects IPv6 packets with the ICMPv6 type', () => {
    const packet = { family: 'IPv6', destination: 'fd00:96::1', destinationPort: 80 } as const
    const [result] = visit('INPUT', packet, '-A -t [fd00:96::1]:80 -s rr\n')
    expect(result?.verdict).toEqual({ kind: 'rejected', with: 'icmp6-port-unreachable' })
  })

  it('gives packets an unknown outcome if a firewall mark may match', () => {
    const saved = `-A -f 1 -s rr\n${SAVED}`
    expect(summary(visit('INPUT', { mark: 1 }, saved))).toEqual(['unknown 10.96.0.1:80 1'])
    expect(summary(visit('INPUT', {}, saved))).toHaveLength(2)
  })

  it('handles incoming packets before SNAT, and locally generated packets after DNAT', () => {
    const hookHandlers = createIpvsHookHandlers({ virtualServers: [] }, facts())
    expect(hookHandlers.map(({ hook, priority }) => [hook, priority])).toEqual([
      ['INPUT', 99],
      ['OUTPUT', -98],
    ])
  })
})
