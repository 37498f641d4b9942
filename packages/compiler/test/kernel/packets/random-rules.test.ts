import type { IpFamily, Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../../analyzer/src/trace/trace.js'
import type { TracePath } from '../../../../analyzer/src/trace/trace-paths.js'
import type { FamilyResult } from '../../../src/compilation/compile-result.js'
import type { NodeState } from '../../../src/dataplane/node-state.js'
import { print } from '../../../src/print/print.js'
import { readDump } from '../../support/read-dump.js'
import { runs } from '../../support/runs.js'
import { type CommandExecutor, succeeded, within } from '../sandbox/sandbox.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import {
  iptablesRules as kubeProxyIptables,
  nftablesRules as kubeProxyNftables,
  type LabRules,
  programPath,
} from './lab.js'
import {
  type Destination,
  KINDS,
  type Kind,
  OTHERS,
  OWN,
  PLACES,
  packetsOf,
  placeOf,
  SERVICES,
  type Sent,
} from './random-packets.js'
import { IPSETS, iptablesRules, nftablesRules, wordsFor } from './random-rules.js'
import { ADDRESSES, buildTopology, type Place } from './topology.js'

// Random rules of other programs, alone and beside those of kube-proxy, and packets through them: each packet must arrive
// where `trace` says, and nowhere else.
// The first packet of a connection is observed at its destination, so the rules may lose the replies.

/** Records each first packet that arrives in a place: its source, source port, destination and destination port. */
const OBSERVER = `table inet observer {
	set IPv4 { type ipv4_addr . inet_service . ipv4_addr . inet_service; flags dynamic; }
	set IPv6 { type ipv6_addr . inet_service . ipv6_addr . inet_service; flags dynamic; }
	chain input {
		type filter hook input priority 2000000000;
		meta l4proto != { tcp, udp } return
		tcp flags & (syn | ack) != syn return
		meta nfproto ipv4 add @IPv4 { ip saddr . th sport . ip daddr . th dport }
		meta nfproto ipv6 add @IPv6 { ip6 saddr . th sport . ip6 daddr . th dport }
	}
}
`

/** Returns where a path ends, in the words of `arrivalOf`; undefined if that is not known. */
function endOf({ outcome, assumptions }: TracePath, packet: Packet): string | undefined {
  if (outcome.kind === 'unknown' || assumptions.length > 0) return undefined
  switch (outcome.kind) {
    case 'delivered':
      return arrivalOf(outcome.address, outcome.port, outcome.masqueraded, packet)
    case 'unmatched':
      return arrivalOf(packet.destination, packet.destinationPort, outcome.masqueraded, packet)
    case 'proxy':
      return `port ${outcome.port} of the node`
    case 'dropped':
    case 'rejected':
      return LOST
  }
}

const LOST = 'lost'

function arrivalOf(address: string, port: number, isMasqueraded: boolean, { origin }: Packet): string {
  return `${address}:${port}${isMasqueraded && origin !== 'node' ? ' from the node' : ''}`
}

/** Lets `other` accept packets to the frontend, and all places packets from their own addresses, which rules send back. */
const SETTINGS = [
  ...['203.0.113.0/24', '10.96.0.0/24'].map((network) => `ip -n other route add local ${network} dev lo`),
  ...['2001:db8:cb::/112', '2001:db8:8::/112', 'fd00:96::/112'].map(
    (network) => `ip -n other -6 route add local ${network} dev lo`,
  ),
  ...PLACES.filter((place) => place !== 'node').flatMap((place) =>
    ['all/accept_local', 'eth0/accept_local'].map(
      (setting) => `ip netns exec ${place} sh -c 'echo 1 > /proc/sys/net/ipv4/conf/${setting}'`,
    ),
  ),
]

/** Neighbors of each place on a link: the rules may drop the packets that ask for them. */
const NEIGHBORS: readonly (readonly [Place, string, string, Place, string])[] = [
  ['client', 'eth0', '2001:db8:1::1', 'node', 'ext'],
  ['node', 'ext', '2001:db8:1::2', 'client', 'eth0'],
  ['other', 'eth0', '2001:db8:f::1', 'node', 'uplink'],
  ['node', 'uplink', '2001:db8:f::2', 'other', 'eth0'],
  ...(['pod1', 'pod2'] as const).flatMap((pod): readonly (readonly [Place, string, string, Place, string])[] => [
    [pod, 'eth0', 'fe80::1', 'node', pod],
    ['node', pod, ADDRESSES[pod].IPv6, pod, 'eth0'],
  ]),
]

async function keepNeighbors(on: On): Promise<void> {
  for (const [place, device, address, neighbor, remote] of NEIGHBORS) {
    const { stdout } = await on(neighbor)(['ip', '-j', 'link', 'show', 'dev', remote])
    const [link]: readonly { readonly address: string }[] = JSON.parse(stdout)
    const own = ['lladdr', link?.address ?? '', 'dev', device, 'nud', 'permanent']
    succeeded(await on(place)(['ip', 'neighbor', 'replace', address, ...own]))
  }
}

const useLab = () =>
  useSandbox(['iptables-nft', 'nft', 'ipset', 'network', 'conntrack'], async (sandbox) => {
    await buildTopology(sandbox)
    succeeded(await sandbox.run(['sh', '-ec', SETTINGS.join('\n')]))
    const on = (place: Place) => within(sandbox, place)
    await keepNeighbors(on)
    for (const family of ['IPv4', 'IPv6'] as const) {
      succeeded(await on('node')(['ipset', 'restore'], wordsFor(IPSETS, family, 'UDP')))
    }
    for (const place of PLACES) if (place !== 'node') succeeded(await on(place)(['nft', '-f', '-'], OBSERVER))
    return on
  })

type On = (place: Place) => CommandExecutor

/** Sends packets from their places. */
async function send(on: On, { family }: Kind, sent: readonly Sent[]): Promise<void> {
  for (const place of PLACES) succeeded(await on(place)(['nft', 'flush', 'set', 'inet', 'observer', family]))
  for (const place of new Set(sent.map(({ from }) => from))) {
    const own = sent.flatMap(({ from, packet }) => (from === place ? [packet] : []))
    succeeded(await on(place)([process.execPath, programPath('send.mjs')], JSON.stringify(own)))
  }
}

/** Returns the places where packets with these source ports arrived: in general words, and in those for a proxy process. */
async function readArrivals(
  on: On,
  { family }: Kind,
  sent: readonly Sent[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const packetOf = new Map(sent.map(({ packet }) => [packet.sourcePort, packet]))
  const arrivals = new Map<number, readonly string[]>()
  for (const place of PLACES) {
    const ran = await on(place)(['nft', '-j', 'list', 'set', 'inet', 'observer', family])
    succeeded(ran)
    for (const [source, sourcePort, destination, port] of elementsOf(ran.stdout)) {
      const packet = packetOf.get(sourcePort)
      if (packet === undefined || placeOf(destination) !== place) throw new Error(`${destination} arrived in ${place}`)
      const words = arrivalOf(destination, port, source !== packet.source, packet)
      arrivals.set(sourcePort, place === 'node' ? [words, `port ${port} of the node`] : [words])
    }
  }
  return arrivals
}

type Arrived = readonly [source: string, sourcePort: number, destination: string, port: number]

function elementsOf(listed: string): readonly Arrived[] {
  const {
    nftables,
  }: { readonly nftables: readonly { readonly set?: { readonly elem?: readonly { concat: Arrived }[] } }[] } =
    JSON.parse(listed)
  return nftables.flatMap(({ set }) => set?.elem?.map(({ concat }) => concat) ?? [])
}

/** Compares each packet whose end is known. Reads again if a packet is missing. Returns the number of packets compared. */
async function checkPackets(on: On, kind: Kind, state: NodeState, sent: readonly Sent[]): Promise<number> {
  const known = sent.flatMap(({ from, packet }) => {
    const ends = trace(state, packet, { addresses: OWN }).map((path) => endOf(path, packet))
    return ends.every((end) => end !== undefined) ? [{ from, packet, ends }] : []
  })
  await send(on, kind, sent)
  const compared = async () => {
    const arrivals = await readArrivals(on, kind, sent)
    return known.map(({ from, packet, ends }) => {
      const seen = arrivals.get(packet.sourcePort ?? 0) ?? [LOST]
      return { from, packet, arrives: seen.find((words) => ends.includes(words)) ?? seen[0], traced: ends }
    })
  }
  await expect
    .poll(async () => (await compared()).filter(({ arrives = '', traced }) => !traced.includes(arrives)), {
      timeout: 3000,
    })
    .toEqual([])
  return known.length
}

interface RandomRules {
  readonly name: string
  readonly rules: fc.Arbitrary<string>
  readonly destinations: readonly Destination[]
  /** The rules of kube-proxy. */
  readonly own?: (family: IpFamily) => string
  readonly load: (family: IpFamily) => readonly string[]
  readonly list: (family: IpFamily) => string
}

const ipOf = (family: IpFamily) => (family === 'IPv4' ? 'ip' : 'ip6')

const IPTABLES: RandomRules = {
  name: 'iptables',
  rules: iptablesRules,
  destinations: OTHERS,
  load: (family) => [`${ipOf(family)}tables-nft-restore`, '--noflush'],
  list: (family) => `${ipOf(family)}tables-nft-save; ipset save`,
}
const NFTABLES: RandomRules = {
  name: 'nftables',
  rules: nftablesRules,
  destinations: OTHERS,
  load: () => ['nft', '-f', '-'],
  list: () => 'nft list ruleset',
}

/** Packets keep their source port, by which they are recognised. */
const keepPorts = (text: string) => text.replace(/ --random-fully| fully-random/g, '')

const CASES: readonly RandomRules[] = [
  IPTABLES,
  NFTABLES,
  {
    ...IPTABLES,
    name: 'iptables and kube-proxy',
    destinations: [...SERVICES, ...SERVICES, ...OTHERS],
    own: (family) => keepPorts(ownRules(kubeProxyIptables(family, 'nft'), 'iptables', 'save')),
  },
  {
    ...NFTABLES,
    name: 'nftables and kube-proxy',
    destinations: [...SERVICES, ...SERVICES, ...OTHERS],
    own: (family) => keepPorts(ownRules(kubeProxyNftables(family, '1.36'), 'nftables', 'restore')),
  },
]

function ownRules(rules: LabRules, subsystem: 'iptables' | 'nftables', format: 'save' | 'restore'): string {
  const [{ state }] = rules.compile().families as readonly [FamilyResult]
  return print(state, { subsystem, format })
}

describe('random rules', () => {
  const labFor = useLab()

  it.for(CASES)('of $name decide each packet as in the kernel', async (each, context) => {
    const { rules, load, list, own, destinations } = each
    const on = await labFor(context)
    const node = on('node')
    const counts = { packets: 0, known: 0 }
    const situations = fc
      .constantFrom(...KINDS)
      .chain((kind) => fc.tuple(fc.constant(kind), rules, packetsOf(kind, destinations), fc.boolean()))
    await fc.assert(
      fc.asyncProperty(situations, async ([kind, drawn, sent, isFirst]) => {
        const { family, protocol } = kind
        const text = wordsFor(drawn, family, protocol)
        const texts = own === undefined ? [text] : isFirst ? [text, own(family)] : [own(family), text]
        succeeded(await node(['nft', 'flush', 'ruleset']))
        for (const part of texts) succeeded(await node(load(family), part))
        const listed = await node(['sh', '-ec', list(family)])
        succeeded(listed)
        succeeded(await node(['nft', '-f', '-'], OBSERVER))
        await node(['conntrack', '-F'])
        counts.packets += sent.length
        counts.known += await checkPackets(on, kind, readDump(listed.stdout, { family })[family], sent)
      }),
      // Each attempt to shrink a case would load rules and send packets again, for minutes.
      { numRuns: runs(30), endOnFailure: true },
    )
    expect(counts.known / counts.packets).toBeGreaterThan(0.9)
  })
})
