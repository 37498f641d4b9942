import { describe, expect, it } from 'vitest'
import type { Hook } from '../../../../compiler/src/dataplane/netfilter/hooks.js'
import { formatFraction } from '../../../../compiler/src/internal/fraction.js'
import { lowerIpvs } from '../../../src/dataplane/ipvs/lower-ipvs.js'
import { parseIpvs } from '../../../src/dataplane/ipvs/parse.js'
import type { ChainResult } from '../../../src/program/chain-result.js'
import type { KernelPacket } from '../../../src/program/kernel-packet.js'
import { runBaseChain } from '../../../src/program/run-chain.js'
import { kernelPacket, nodeFacts, pathState, runContext } from '../../program/programs.js'

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

/** The facts of a node with the address 192.168.0.2; whether 192.168.0.9 is another one is unknown. */
const facts = nodeFacts({
  persistentServer: persistent,
  isLocal: (address) => (address === '192.168.0.9' ? 'unknown' : address === '192.168.0.2' ? 'yes' : 'no'),
})

const PACKET = { source: '203.0.113.2', destination: '10.96.0.1', inInterface: 'eth0' }

function visit(hook: Hook, packet: Partial<KernelPacket>, saved = SAVED): readonly ChainResult[] {
  const parsed = parseIpvs(saved)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const base = lowerIpvs(parsed.value, undefined, () => new Map()).find((each) => each.hook === hook)
  const start = pathState({ packet: kernelPacket({ ...PACKET, ...packet }) })
  return base === undefined ? [] : runBaseChain(base.chain, start, runContext({ hook, facts }))
}

/** Formats `output 10.244.1.1:8080 1/2`: departure, destination and weight. */
function summary(result: readonly ChainResult[]): readonly string[] {
  return result.map(({ path: { packet, weight, assumptions }, exit }) =>
    [
      typeof exit === 'string' ? exit : exit.kind,
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
    ['ignores packets to other ports', { destinationPort: 81 }, ['chain 10.96.0.1:81 1']],
    ['ignores packets of other protocols', { protocol: 'sctp' }, ['chain 10.96.0.1:80 1']],
  ])('%s', (_, packet, expected) => {
    for (const hook of ['INPUT', 'OUTPUT'] as const) expect(summary(visit(hook, packet))).toEqual(expected)
  })

  it('handles a packet only once, in INPUT or OUTPUT', () => {
    expect(visit('PREROUTING', {})).toEqual([])
    const virtualServer = { address: '10.96.0.1', port: 80, protocol: 'tcp' }
    expect(summary(visit('OUTPUT', { virtualServer }))).toEqual(['chain 10.96.0.1:80 1'])
  })

  it('rejects IPv6 packets with the ICMPv6 type', () => {
    const packet = { family: 'IPv6', destination: 'fd00:96::1', destinationPort: 80 } as const
    const [result] = visit('INPUT', packet, '-A -t [fd00:96::1]:80 -s rr\n')
    expect(result?.exit).toEqual({ kind: 'rejected', with: 'icmp6-port-unreachable' })
  })

  it('gives packets an unknown outcome if a firewall mark may match', () => {
    const saved = `-A -f 1 -s rr\n${SAVED}`
    expect(summary(visit('INPUT', { mark: 1 }, saved))).toEqual(['unknown 10.96.0.1:80 1'])
    expect(summary(visit('INPUT', {}, saved))).toHaveLength(2)
  })

  it('handles incoming packets before SNAT, and locally generated packets after DNAT', () => {
    const chains = lowerIpvs({ virtualServers: [] }, undefined, () => new Map())
    expect(chains.map(({ hook, priority }) => [hook, priority])).toEqual([
      ['INPUT', 99],
      ['OUTPUT', -98],
    ])
  })
})
