import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../../analyzer/src/trace/trace.js'
import { readDump } from '../../support/read-dump.js'
import { type CommandExecutor, succeeded, within } from '../sandbox/sandbox.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { probe, serve } from './lab.js'
import { ADDRESSES, buildTopology, HOST, type Place } from './topology.js'

// Rules of nftables with a counter, in chains of each hook. The counters for the first packet of a connection must be
// those that `trace` predicts, if it predicts any.

const SERVER = ADDRESSES.other.IPv4
const NODE = ADDRESSES.node.IPv4
const FRONTEND = '203.0.113.1'

interface Sent {
  readonly from: Place
  readonly packet: Packet
}

const packetOf = (fields: Partial<Packet>): Packet =>
  ({ protocol: 'TCP', sourcePort: 40000, destinationPort: 8080, ...fields }) as Packet

const POD = { origin: 'pod', source: ADDRESSES.pod1.IPv4, inInterface: 'pod1' } as const

/** Packets that the node forwards, with and without a translation, that it sends, and that it sends to itself. */
const PACKETS: Readonly<Record<string, Sent>> = {
  'a forwarded packet': { from: 'pod1', packet: packetOf({ ...POD, destination: SERVER }) },
  'a translated packet': { from: 'pod1', packet: packetOf({ ...POD, destination: FRONTEND, destinationPort: 81 }) },
  'a packet of the node': {
    from: 'node',
    packet: packetOf({ origin: 'node', source: '198.18.0.1', destination: SERVER }),
  },
  'a packet of the node to itself': {
    from: 'node',
    packet: packetOf({ origin: 'node', source: NODE, destination: NODE }),
  },
}

const CHAINS: readonly (readonly [name: string, base: string])[] = [
  ['early', 'hook prerouting priority -310'],
  ['prerouting', 'hook prerouting priority 10'],
  ['input', 'hook input priority 10'],
  ['forward', 'hook forward priority 10'],
  ['early-output', 'hook output priority -310'],
  ['output', 'hook output priority 10'],
  ['postrouting', 'hook postrouting priority 150'],
]

const MATCHES: readonly string[] = [
  ...[
    'ct state new',
    'ct state invalid',
    'ct state untracked',
    'ct state established,related',
    'ct state != established',
  ],
  ...['ct state != new,established', 'ct state ! new', 'ct state { new, established }', 'ct state == new'],
  ...['ct status dnat', 'ct status != dnat', 'ct status == dnat', 'ct status ! dnat', 'ct status snat,dnat'],
  ...[
    'ct status confirmed',
    'ct status assured',
    'ct status seen-reply',
    'ct status expected',
    'ct status { dnat, snat }',
  ],
  ...['ct mark 0', 'ct mark 5', 'ct mark != 5', 'ct mark & 0xff == 0', 'ct mark 1-9'],
  ...[
    'ct direction original',
    'ct direction != reply',
    'ct direction reply',
    'ct packets 1',
    'ct original packets > 1',
  ],
  ...['ct reply packets 0', 'ct reply bytes > 0', 'ct helper "ftp"', 'ct protocol tcp', 'ct l3proto ipv4'],
  ...[`ct original ip daddr ${FRONTEND}`, `ct original ip daddr != ${FRONTEND}`, `ct original ip saddr ${POD.source}`],
  ...[`ct reply ip saddr ${SERVER}`, 'ct original ip6 saddr ::1', 'meta l4proto tcp ct original proto-dst 81'],
  ...['meta l4proto tcp ct reply proto-src 8080', 'meta l4proto tcp ct original proto-src 40000'],
  ...['tcp flags syn', 'tcp flags == syn', 'tcp flags != syn', 'tcp flags ! fin,rst', 'tcp flags fin,syn'],
  ...['tcp flags & (fin|syn|rst|ack) == syn', 'tcp flags { syn, ack }', 'tcp flags & (fin|syn) == fin|syn'],
  ...['ip frag-off & 0x1fff != 0', 'ip frag-off & 0x1fff == 0', 'ip version 4', 'ip6 version 6', 'ip protocol tcp'],
  ...[`ip daddr ${SERVER}`, `ip daddr != ${SERVER}`, `ip daddr & 255.255.0.0 == 198.18.0.0`, 'ip daddr > 198.18.0.1'],
  ...['ip6 saddr != ::1', 'ip6 nexthdr tcp', 'th dport 8080', 'tcp dport != { 80, 8080 }', 'udp dport != 53'],
  ...[
    'tcp dport < 8081',
    'tcp dport >= 8081',
    'icmp type != echo-request',
    'icmpv6 type nd-router-advert',
    'esp spi != 1',
  ],
  ...['exthdr hbh missing', 'frag id != 5', 'meta nfproto ipv4', 'meta nfproto != ipv6', 'meta protocol ip'],
  ...['meta l4proto { tcp, udp }', 'meta mark 0', 'meta mark != 5', 'meta mark < 5', 'meta mark { 0, 1 }'],
  ...['iifname "pod1"', 'iifname != "pod1"', 'iifname "pod*"', 'iif "lo"', 'iif != "lo"', 'oifname "lo"'],
  ...['meta pkttype host', 'meta pkttype { broadcast, multicast }', 'meta skuid 4711', 'meta skuid != 4711'],
  ...[
    'fib daddr type local',
    'fib daddr type unicast',
    'fib daddr type != local',
    'fib daddr type { local, broadcast }',
  ],
  ...[
    'fib saddr type local',
    'fib daddr type blackhole',
    'rt ipsec missing',
    'numgen random mod 1 0',
    'jhash ip6 saddr mod 1 0',
  ],
  ...['jhash ip saddr mod 1 0', `ip saddr . tcp dport { 10.244.0.0/16 . 8000-9000, 1.2.3.4 . 443 }`],
  ...[`ip saddr . tcp dport != { 10.244.0.0/16 . 8000-9000 }`, 'ct state . meta l4proto { new . tcp }'],
]

/** Rules that leave only the first packet of a connection. */
const FIRST_ONLY = ['meta nfproto ipv6 return', 'meta l4proto != tcp return', 'tcp flags & (syn|ack) != syn return']

/** Formats a table with rules in each chain, and with chains that come before. */
function tableOf(rules: (chain: string) => readonly string[], before: string): string {
  const chains = CHAINS.map(([name, base]) => chainOf(name, `filter ${base}`, ...rules(name)))
  return `table inet probe {\n${before}${chains.join('')}}\n`
}

function chainOf(name: string, base: string, ...rules: readonly string[]): string {
  const lines = [`type ${base}; policy accept;`, ...rules].map((line) => `\t\t${line}\n`)
  return `\tchain ${name} {\n${lines.join('')}\t}\n`
}

const TRANSLATION = chainOf(
  'translate',
  'nat hook prerouting priority -100',
  `ip daddr ${FRONTEND} tcp dport 81 dnat ip to ${SERVER}:8080`,
)
const EXCLUSION = ['prerouting', 'output']
  .map((hook) => chainOf(`exclude-${hook}`, `filter hook ${hook} priority -320`, 'notrack'))
  .join('')

/** Returns the number of packets that each rule of the table counted, in order. */
async function countersOf(node: CommandExecutor): Promise<readonly number[]> {
  const ran = await node(['nft', '-j', 'list', 'table', 'inet', 'probe'])
  succeeded(ran)
  return JSON.parse(ran.stdout).nftables.flatMap(
    ({ rule }: { rule?: { expr: readonly { counter?: { packets: number } }[] } }) => {
      const counter = rule?.expr.find((each) => each.counter !== undefined)?.counter
      return counter === undefined ? [] : [counter.packets]
    },
  )
}

const ADDRESSES_OF_NODE =
  HOST.interfaces?.flatMap(({ addresses }) => addresses.map((each) => each.split('/')[0] ?? '')) ?? []

/** Predicts whether a match in a chain counts the packet. Undefined if this is unknown. */
function predict(match: string, chain: string, packet: Packet, before: string): 0 | 1 | undefined {
  const text = tableOf((name) => (name === chain ? [`${match} drop`] : []), before)
  const paths = trace(readDump(text).IPv4, packet, { addresses: ADDRESSES_OF_NODE })
  if (paths.length !== 1) return undefined
  return paths[0]?.outcome.kind === 'dropped' ? 1 : 0
}

describe('a match of nftables', () => {
  const labFor = useSandbox(['nft', 'network', 'conntrack'], async (sandbox) => {
    await buildTopology(sandbox)
    for (const place of ['other', 'node'] as const) await serve(sandbox, place, 'IPv4', ['8080'])
    return (place: Place) => within(sandbox, place)
  })

  it.for(
    Object.keys(PACKETS).flatMap((name) => [
      { name, before: TRANSLATION, state: 'tracked' },
      // An untracked packet is not translated, so its destination does not exist.
      ...(name === 'a translated packet' ? [] : [{ name, before: EXCLUSION, state: 'untracked' }]),
    ]),
  )('counts $name that is $state as predicted', async ({ name, before }, context) => {
    const on = await labFor(context)
    const { from, packet } = PACKETS[name] as Sent
    const matches = MATCHES.map((match) => `${match} counter`)
    succeeded(await on('node')(['nft', 'flush', 'ruleset']))
    succeeded(
      await on('node')(
        ['nft', '-f', '-'],
        tableOf(() => [...FIRST_ONLY, ...matches], before),
      ),
    )
    await on('node')(['conntrack', '-F'])
    await probe(on(from), [{ packet, count: 1, milliseconds: 500 }])
    const counters = await countersOf(on('node'))
    const rules = CHAINS.flatMap(([chain]) => MATCHES.map((match) => ({ chain, match })))
    expect(counters).toHaveLength(rules.length)
    const wrong = rules.flatMap(({ chain, match }, at) => {
      const predicted = predict(match, chain, packet, before)
      const counted = Math.min(counters[at] ?? 0, 1)
      return predicted === undefined || predicted === counted
        ? []
        : [`${chain}: ${match}: ${counted}, not ${predicted}`]
    })
    expect(wrong).toEqual([])
  })
})
