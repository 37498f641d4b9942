import type { Packet } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../../analyzer/src/trace/trace.js'
import type { TracePath } from '../../../../analyzer/src/trace/trace-paths.js'
import type { NodeState } from '../../../src/dataplane/node-state.js'
import { readDump } from '../../support/read-dump.js'
import { runs } from '../../support/runs.js'
import { type CommandExecutor, succeeded, within } from '../sandbox/sandbox.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { programPath } from './lab.js'
import { IPSETS, iptablesRules, nftablesRules } from './random-rules.js'
import { ADDRESSES, buildTopology, HOST, type Place } from './topology.js'

// Random rules of other programs, and packets through them: each packet must arrive where `trace` says, and nowhere else.
// The first packet of a connection is observed at its destination, so the rules may lose the replies.

const PLACES = ['client', 'node', 'pod1', 'pod2', 'other'] as const
const OWN = HOST.interfaces?.flatMap(({ addresses }) => addresses.map((each) => each.split('/')[0] ?? '')) ?? []
/** An address that only `other` accepts, as the address of a Service. */
const FRONTEND = '203.0.113.1'

/** Records each packet that arrives in a place: its source, source port, destination and destination port. */
const OBSERVER = `table inet observer {
	set arrived { type ipv4_addr . inet_service . ipv4_addr . inet_service; flags dynamic; }
	chain input {
		type filter hook input priority 2000000000;
		meta protocol ip meta l4proto udp add @arrived { ip saddr . udp sport . ip daddr . udp dport }
	}
}
`

interface Sent {
  readonly from: (typeof PLACES)[number]
  readonly packet: Packet
}

const packets: fc.Arbitrary<readonly Sent[]> = fc
  .array(
    fc.record({
      from: fc.constantFrom(...PLACES, 'pod1' as const, 'node' as const),
      destination: fc.constantFrom(
        '10.244.1.11',
        '10.244.1.12',
        '198.18.0.2',
        '192.0.2.1',
        '198.18.0.1',
        FRONTEND,
        FRONTEND,
      ),
      destinationPort: fc.constantFrom(80, 80, 81, 8080),
    }),
    { minLength: 12, maxLength: 12 },
  )
  .map((drawn) =>
    drawn.flatMap(({ from, destination, destinationPort }, at): readonly Sent[] => {
      const source = ADDRESSES[from].IPv4
      // Such packets do not pass the node.
      if (placeOf(destination) === from && from !== 'node') return []
      const sourcePort = 20_000 + at
      const sent = { protocol: 'UDP', source, sourcePort, destination, destinationPort } as const
      if (from === 'node') return [{ from, packet: { ...sent, origin: 'node' } }]
      const isPod = from.startsWith('pod')
      const inInterface = isPod ? from : from === 'client' ? 'ext' : 'uplink'
      return [{ from, packet: { ...sent, origin: isPod ? 'pod' : 'outside', inInterface } }]
    }),
  )

function placeOf(address: string): Place {
  const place = PLACES.find((name) => ADDRESSES[name].IPv4 === address)
  return place ?? (OWN.includes(address) ? 'node' : 'other')
}

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
  'ip -n other route add local 203.0.113.0/24 dev lo',
  ...PLACES.filter((place) => place !== 'node').flatMap((place) =>
    ['all/accept_local', 'eth0/accept_local'].map(
      (setting) => `ip netns exec ${place} sh -c 'echo 1 > /proc/sys/net/ipv4/conf/${setting}'`,
    ),
  ),
]

const useLab = () =>
  useSandbox(['iptables-nft', 'nft', 'ipset', 'network', 'conntrack'], async (sandbox) => {
    await buildTopology(sandbox)
    succeeded(await sandbox.run(['sh', '-ec', SETTINGS.join('\n')]))
    const on = (place: Place) => within(sandbox, place)
    succeeded(await on('node')(['ipset', 'restore'], IPSETS))
    for (const place of PLACES) if (place !== 'node') succeeded(await on(place)(['nft', '-f', '-'], OBSERVER))
    return on
  })

type On = (place: Place) => CommandExecutor

/** Sends packets from their places. */
async function send(on: On, sent: readonly Sent[]): Promise<void> {
  for (const place of PLACES) succeeded(await on(place)(['nft', 'flush', 'set', 'inet', 'observer', 'arrived']))
  for (const place of new Set(sent.map(({ from }) => from))) {
    const own = sent.flatMap(({ from, packet }) => (from === place ? [packet] : []))
    succeeded(await on(place)([process.execPath, programPath('send.mjs')], JSON.stringify(own)))
  }
}

/** Returns the places where packets with these source ports arrived: in general words, and in those for a proxy process. */
async function readArrivals(on: On, sent: readonly Sent[]): Promise<ReadonlyMap<number, readonly string[]>> {
  const packetOf = new Map(sent.map(({ packet }) => [packet.sourcePort, packet]))
  const arrivals = new Map<number, readonly string[]>()
  for (const place of PLACES) {
    const ran = await on(place)(['nft', '-j', 'list', 'set', 'inet', 'observer', 'arrived'])
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
async function checkPackets(on: On, state: NodeState, sent: readonly Sent[]): Promise<number> {
  const known = sent.flatMap(({ from, packet }) => {
    const ends = trace(state, packet, { addresses: OWN }).map((path) => endOf(path, packet))
    return ends.every((end) => end !== undefined) ? [{ from, packet, ends }] : []
  })
  await send(on, sent)
  const compared = async () => {
    const arrivals = await readArrivals(on, sent)
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

interface Language {
  readonly name: string
  readonly rules: fc.Arbitrary<string>
  readonly load: readonly string[]
  readonly list: string
}

const LANGUAGES: readonly Language[] = [
  { name: 'iptables', rules: iptablesRules, load: ['iptables-nft-restore'], list: 'iptables-nft-save; ipset save' },
  { name: 'nftables', rules: nftablesRules, load: ['nft', '-f', '-'], list: 'nft list ruleset' },
]

describe('random rules', () => {
  const labFor = useLab()

  it.for(LANGUAGES)('of $name decide each packet as in the kernel', async ({ rules, load, list }, context) => {
    const on = await labFor(context)
    const node = on('node')
    const counts = { packets: 0, known: 0 }
    await fc.assert(
      fc.asyncProperty(rules, packets, async (text, sent) => {
        succeeded(await node(['nft', 'flush', 'ruleset']))
        succeeded(await node(load, text))
        const listed = await node(['sh', '-ec', list])
        succeeded(listed)
        succeeded(await node(['nft', '-f', '-'], OBSERVER))
        await node(['conntrack', '-F'])
        counts.packets += sent.length
        counts.known += await checkPackets(on, readDump(listed.stdout, { family: 'IPv4' }).IPv4, sent)
      }),
      { numRuns: runs(30) },
    )
    expect(counts.known / counts.packets).toBeGreaterThan(0.9)
  })
})
