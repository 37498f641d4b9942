import type { Packet } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { trace } from '../../../../analyzer/src/trace/trace.js'
import { readDump } from '../../support/read-dump.js'
import { type CommandExecutor, succeeded, within } from '../sandbox/sandbox.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { probe, serve, summaryOf } from './lab.js'
import { traced } from './predict.js'
import { ADDRESSES, buildTopology, HOST, type Place } from './topology.js'

// Rules of nftables that set marks or translate packets. Real packets must have the marks and the outcomes that `trace`
// predicts.

const SERVER = ADDRESSES.other.IPv4
const FRONTEND = '203.0.113.1'
const CONTEXT = {
  addresses: HOST.interfaces?.flatMap(({ addresses }) => addresses.map((each) => each.split('/')[0] ?? '')) ?? [],
}

const PACKET: Packet = {
  origin: 'pod',
  protocol: 'TCP',
  source: ADDRESSES.pod1.IPv4,
  sourcePort: 40000,
  destination: SERVER,
  destinationPort: 8080,
  inInterface: 'pod1',
}

function tableOf(base: string, rules: readonly string[], before = ''): string {
  const lines = [`type ${base}; policy accept;`, ...rules].map((line) => `\t\t${line}\n`)
  return `table inet probe {\n${before}\tchain c {\n${lines.join('')}\t}\n}\n`
}

const useLab = () =>
  useSandbox(['nft', 'network', 'conntrack'], async (sandbox) => {
    await buildTopology(sandbox)
    for (const place of ['other', 'node', 'pod2'] as const) await serve(sandbox, place, 'IPv4', ['8080'])
    return (place: Place) => within(sandbox, place)
  })

async function load(node: CommandExecutor, table: string): Promise<void> {
  succeeded(await node(['nft', 'flush', 'ruleset']))
  succeeded(await node(['nft', '-f', '-'], table))
  await node(['conntrack', '-F'])
}

describe('a rule of nftables that sets a mark', () => {
  const labFor = useLab()
  const BITS = Array.from({ length: 8 }, (_, bit) => 2 ** bit)
  const FIRST_ONLY = ['meta nfproto ipv6 return', 'meta l4proto != tcp return', 'tcp flags & (syn|ack) != syn return']
  const START = ['meta mark set 0x0f', 'ct mark set 0x3c']
  const EXCLUSION =
    '\tchain exclude {\n\t\ttype filter hook prerouting priority -320; policy accept;\n\t\tnotrack\n\t}\n'

  it.for([
    'meta mark set 0x5',
    'meta mark set meta mark | 0x50',
    'meta mark set meta mark & 0x3',
    'meta mark set meta mark ^ 0x11',
    'meta mark set meta mark and 0xfffffff5 or 0x80',
    'meta mark set ct mark',
    'meta mark set ct mark & 0x30 ^ 0x11',
    'ct mark set meta mark meta mark set ct mark',
    'ct mark set ct mark and 0xffffffef xor 0x1 meta mark set ct mark',
    'ct mark set 0x5 meta mark set 0x7',
    'meta mark set 0x5 tcp dport 81 meta mark set 0x7',
    'meta mark set 0x5 meta mark 0x5 meta mark set 0x7',
    'meta mark set tcp dport map { 8080 : 0x41, 443 : 0x2 }',
    'meta mark set tcp dport map { 81 : 0x41, 443 : 0x2 }',
    'meta mark set jhash ip saddr mod 1 offset 8',
    'ct state vmap { established : drop, new : continue }',
    'update @seen { ip saddr } meta mark set 0x21',
    'log prefix "x" counter meta mark set 0x22',
    'ct zone set 5 meta mark set 0x23',
    'tcp option maxseg size set 1000 meta mark set 0x24',
    'ip dscp set cs1 meta mark set 0x25',
    'udp checksum set 0 meta mark set 0x26',
    'limit rate over 1000/second meta mark set 0x27\nmeta mark set 0x28',
  ])('%s', async (rule, context) => {
    const on = await labFor(context)
    const sets = '\tset seen {\n\t\ttype ipv4_addr\n\t\tsize 65535\n\t\tflags dynamic\n\t}\n'
    const before = (isTracked: boolean) => (rule.includes('@seen') ? sets : '') + (isTracked ? '' : EXCLUSION)
    for (const isTracked of [true, false]) {
      const rules = [...START, ...rule.split('\n')]
      const base = 'filter hook prerouting priority 10'
      const counting = BITS.map((bit) => `meta mark & ${bit} == ${bit} counter`)
      await load(on('node'), tableOf(base, [...FIRST_ONLY, ...rules, ...counting], before(isTracked)))
      await probe(on('pod1'), [{ packet: PACKET, count: 1, milliseconds: 500 }])
      const seen = await marksCounted(on('node'))
      const predicted = BITS.map((bit) => {
        const text = tableOf(base, [...rules, `meta mark & ${bit} == ${bit} drop`], before(isTracked))
        return trace(readDump(text).IPv4, PACKET, CONTEXT).every(({ outcome }) => outcome.kind === 'dropped')
      })
      expect(seen, isTracked ? 'tracked' : 'untracked').toEqual(predicted)
    }
  })

  /** Returns for each bit whether its rule counted the packet. */
  async function marksCounted(node: CommandExecutor): Promise<readonly boolean[]> {
    const ran = await node(['nft', '-j', 'list', 'chain', 'inet', 'probe', 'c'])
    succeeded(ran)
    const rules: readonly { rule?: { expr: readonly { counter?: { packets: number } }[] } }[] = JSON.parse(
      ran.stdout,
    ).nftables
    return rules
      .flatMap(
        ({ rule }) => rule?.expr.flatMap(({ counter }) => (counter === undefined ? [] : [counter.packets > 0])) ?? [],
      )
      .slice(-BITS.length)
  }
})

describe('a rule of nftables that translates a packet', () => {
  const labFor = useLab()
  const MAPS = '\tmap backends {\n\t\ttype ipv4_addr : ipv4_addr\n\t\telements = { 203.0.113.1 : 198.18.0.2 }\n\t}\n'

  it.for([
    ['dnat ip to 198.18.0.2', 'other'],
    ['tcp dport 8080 dnat ip to 198.18.0.2:8080 random,persistent', 'other'],
    ['tcp dport 81 dnat to :8080', 'other', 81],
    ['tcp dport 81 dnat ip to 198.18.0.2:8080-8090', 'other', 81],
    ['tcp dport 8080 dnat ip to 198.18.0.2:8000-8090', 'other'],
    ['tcp dport 81 redirect to :8080', 'node', 81],
    ['redirect', 'node'],
    ['tcp dport 81 redirect to :8080-8090', 'node', 81],
    ['tcp dport 81 redirect to tcp dport map { 81 : 8080 }', 'node', 81],
    ['dnat ip to tcp dport map { 8080 : 198.18.0.2, 81 : 10.244.1.12 }', 'other'],
    ['tcp dport 81 dnat ip addr . port to tcp dport map { 81 : 10.244.1.12 . 8080 }', 'pod2', 81],
    ['dnat ip to ip daddr map @backends', 'other'],
    ['dnat ip to ip saddr map @backends\ndnat ip to 10.244.1.12', 'pod2'],
    ['meta l4proto tcp dnat ip6 to [fd00::1]:80\ndnat ip to 10.244.1.12', 'pod2'],
    ['ip daddr 203.0.113.1 tcp flags ! syn redirect\ndnat ip to 10.244.1.12', 'pod2'],
    ['notrack dnat ip to 198.18.0.2', 'other'],
  ] as readonly (readonly [string, string, number?])[])('%s', async ([rules, expected, port = 8080], context) => {
    const on = await labFor(context)
    // Without a new address, the destination must exist.
    const destination = rules.includes('dnat to :') ? SERVER : FRONTEND
    const packet = { ...PACKET, destination, destinationPort: port }
    const before = rules.includes('@backends') ? MAPS : ''
    const table = tableOf('nat hook prerouting priority dstnat', rules.split('\n'), before)
    await load(on('node'), table)
    const milliseconds = /\bdrop\b/.test(expected) ? 1500 : 20_000
    const [observation] = await probe(on('pod1'), [{ packet, count: 1, milliseconds }])
    expect(observation && summaryOf(observation, packet)).toBe(expected)
    expect(traced(readDump(table).IPv4, packet, CONTEXT)).toBe(expected)
  })

  it.for([
    'masquerade',
    'masquerade fully-random',
    'snat ip to 198.18.0.1',
    'snat ip to ip saddr map { 10.244.1.11 : 198.18.0.1 }',
  ])('%s changes the source', async (rule, context) => {
    const on = await labFor(context)
    const table = tableOf('nat hook postrouting priority srcnat', [rule])
    await load(on('node'), table)
    const [observation] = await probe(on('pod1'), [{ packet: PACKET, count: 1, milliseconds: 20_000 }])
    expect(observation && summaryOf(observation, PACKET)).toBe('other*')
    const [path] = trace(readDump(table).IPv4, PACKET, CONTEXT)
    expect(path?.outcome).toMatchObject({ masqueraded: true })
  })
})
