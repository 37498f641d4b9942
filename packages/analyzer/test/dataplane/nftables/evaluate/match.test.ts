import { describe, expect, it } from 'vitest'
import { createCoverageQueries, type StateCoverage } from '../../../../../compiler/src/dataplane/netfilter/coverage.js'
import type { HookPacket } from '../../../../../compiler/src/dataplane/netfilter/hook-packet.js'
import type { Hook } from '../../../../../compiler/src/dataplane/netfilter/hooks.js'
import type { KernelPacket } from '../../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { createReadSet, type ReadSet } from '../../../../../compiler/src/dataplane/netfilter/read-set.js'
import type { Ternary } from '../../../../../compiler/src/dataplane/netfilter/ternary.js'
import type { Selector } from '../../../../../compiler/src/dataplane/nftables/ast.js'
import { formatSelector } from '../../../../../compiler/src/dataplane/nftables/selectors.js'
import { createFraction } from '../../../../../compiler/src/internal/fraction.js'
import { statementsOf, tableOf } from '../../../../../compiler/test/dataplane/nftables/tables.js'
import { destinationsOfTables } from '../../../../src/dataplane/nftables/evaluate/evaluate.js'
import {
  evaluateMarkMatch,
  evaluateMatch,
  findElement,
  type MatchResult,
} from '../../../../src/dataplane/nftables/evaluate/match.js'
import { findMissingTableContent } from '../../../../src/dataplane/nftables/evaluate/missing.js'
import { evaluateSelector, mayDependOnDestination } from '../../../../src/dataplane/nftables/evaluate/selector-value.js'
import { indexSet, splitFirstComponent } from '../../../../src/dataplane/nftables/evaluate/set-index.js'
import { parseSelectors } from '../../../../src/dataplane/nftables/parse/parse-key.js'

const PACKET: KernelPacket = {
  family: 'IPv4',
  protocol: 'tcp',
  source: '10.0.0.1',
  sourcePort: 4711,
  destination: '10.0.0.2',
  destinationPort: 80,
  inInterface: 'eth0',
  bridged: 'no',
  mark: 0x4000,
  masqueraded: false,
  destinationDecided: 'no',
  sourceDecided: 'no',
}

interface Around {
  readonly hook?: Hook
  readonly local?: Ternary
  readonly seen?: number
}

function passageOf(
  fields: Partial<KernelPacket> = {},
  { hook = 'PREROUTING', local = 'no', seen }: Around = {},
): HookPacket {
  const facts = {
    isLocal: () => local,
    inSet: (): Ternary => 'unknown',
    secondsSinceSeen: (list: string, client: string) => (list === 'd' && client === '10.0.0.1' ? seen : undefined),
    persistentServer: () => undefined,
  }
  return { packet: { ...PACKET, ...fields }, hook, facts }
}

const SETS = tableOf(`table ip t {
	set s {
		type ipv4_addr
		elements = { 10.0.0.1 }
	}

	set n {
		type ipv4_addr
		flags interval
		elements = { 10.0.0.0/30, 10.9.0.0-10.9.0.9 }
	}

	set e {
		type ipv4_addr
	}

	set p {
		type ipv4_addr . inet_service
		elements = { 10.0.0.1 . 80, 10.0.0.1 . 81, 10.0.0.7 . 80, 10.0.0.8 . 443 }
	}

	set r {
		type ipv4_addr . inet_service
		flags interval
		elements = { 10.0.0.0/8 . 80-90 }
	}

	set a {
		type inet_service . ipv4_addr . inet_service
		elements = { 4711 . 10.0.0.2 . 80 }
	}

	set l {
		type integer
		elements = { 40 }
	}

	set d {
		type ipv4_addr
		flags dynamic,timeout
		timeout 1m
	}
}
`).sets

/** Evaluates the only statement of a rule. */
function result(rule: string, passage = passageOf()): MatchResult {
  const [statement] = statementsOf(rule)
  if (statement?.kind === 'markMatch') return evaluateMarkMatch(statement, passage)
  if (statement?.kind !== 'match') throw new Error(`${rule} is no match`)
  return evaluateMatch(statement, passage, (name) => {
    const set = SETS.find((each) => each.name === name)
    return set && indexSet(set)
  })
}

function selectorsOf(words: string): readonly Selector[] {
  return parseSelectors({ source: words, at: 0 }) ?? []
}

describe('evaluateSelector', () => {
  it.each<[string, string, Partial<KernelPacket>?]>([
    ['ip saddr', '10.0.0.1'],
    ['ip daddr', '10.0.0.2'],
    ['ip protocol', 'tcp'],
    ['ip ttl', 'unknown'],
    ['ip6 saddr', 'absent'],
    ['ip6 nexthdr', 'absent'],
    ['ip6 saddr', 'fd00::1', { family: 'IPv6', source: 'fd00::1' }],
    ['ip6 nexthdr', 'tcp', { family: 'IPv6' }],
    ['ip saddr', 'absent', { family: 'IPv6' }],
    ['ether saddr', 'unknown'],
    ['tcp dport', '80'],
    ['tcp sport', '4711'],
    ['th dport', '80'],
    ['th sport', '4711'],
    ['tcp sport', 'unknown', { sourcePort: undefined }],
    ['udp dport', 'absent'],
    ['sctp dport', 'absent'],
    ['dccp dport', 'absent'],
    ['udplite dport', 'absent'],
    ['udp dport', '80', { protocol: 'udp' }],
    ['sctp sport', '4711', { protocol: 'sctp' }],
    ['tcp dport', 'absent', { protocol: 'sctp' }],
    ['icmp type', 'unknown'],
    ['meta l4proto', 'tcp'],
    ['meta mark', '0x00004000'],
    ['meta nfproto', 'ipv4'],
    ['meta nfproto', 'ipv6', { family: 'IPv6' }],
    ['iifname', 'unknown'],
    ['meta pkttype', 'unknown'],
    ['ct state', 'unknown'],
    ['fib daddr type', 'unknown'],
    ['numgen random mod 2', 'unknown'],
  ])('returns for %s the value %s', (words, text, fields) => {
    const [selector] = selectorsOf(words)
    const value = evaluateSelector(selector as Selector, passageOf(fields))
    expect(typeof value === 'object' ? value.text : value).toBe(text)
  })

  it('depends on the destination only if the selector reads the destination or an unknown field', () => {
    const blind = [
      ...['ip saddr', 'ip6 saddr', 'tcp sport', 'ip protocol', 'ip6 nexthdr'],
      ...['meta l4proto', 'meta mark', 'meta nfproto', 'iifname', 'iif'],
      ...['ct state', 'ct status', 'ct mark', 'numgen random mod 2'],
    ]
    const others = [
      'ip daddr',
      'tcp dport',
      'ip ttl',
      'oifname',
      'oif',
      'meta pkttype',
      'fib daddr type',
      'fib saddr type',
    ]
    expect([...blind, ...others].flatMap(selectorsOf).filter(mayDependOnDestination).map(formatSelector)).toEqual(
      others,
    )
  })
})

describe('the match in an nftables rule', () => {
  it.each<[string, MatchResult, Partial<KernelPacket>?, Around?]>([
    ['ip saddr 10.0.0.0-10.0.0.1', 'yes'],
    ['ip saddr 10.0.0.1-10.0.0.2', 'yes'],
    ['ip saddr 10.0.0.2-10.0.0.3', 'no'],
    ['ip saddr 10.0.0.0/32', 'no'],
    ['ip saddr != 10.0.0.0/8', 'no'],
    ['ip saddr { 10.0.0.9, 10.0.0.0/31 }', 'yes'],
    ['ip saddr != { 10.0.0.9, 10.0.0.8 }', 'yes'],
    ['ip saddr host', 'no'],
    ['ip saddr . udp dport { 10.0.0.1 . 80 }', 'no'],
    ['ip saddr . udp dport != { 10.0.0.1 . 80 }', 'no'],
    ['ip saddr . tcp dport 10.0.0.1 . 80', 'yes'],
    ['ip saddr . tcp dport 10.0.0.1 . 81', 'no'],
    ['ip saddr . ip ttl 10.0.0.1 . 5', 'unknown'],
    ['ip saddr . ip ttl 10.0.0.9 . 5', 'no'],
    ['ip ttl . ip saddr 5 . 10.0.0.9', 'no'],
    ['meta l4proto tcp', 'yes'],
    ['meta l4proto udp', 'no'],
    ['meta nfproto ipv4', 'yes'],
    ['meta mark 0x00004000', 'yes'],
    ['meta mark & 0x00004000 == 0x00000000', 'no'],
    ['meta mark & 0xffffffff != 0x00004001', 'yes'],
    ['meta mark & 0x80000000 == 0x80000000', 'yes', { mark: 0xffffffff }],
    ['meta mark { 0x00004000-0x00004001 }', 'yes'],
    ['meta mark { 0x00003ffe-0x00003fff }', 'no'],
    ['tcp dport 80-81', 'yes'],
    ['tcp dport 79-80', 'yes'],
    ['tcp dport 81-82', 'no'],

    ['tcp dport < 81', 'yes'],
    ['tcp dport < 80', 'no'],
    ['tcp dport <= 80', 'yes'],
    ['tcp dport <= 79', 'no'],
    ['tcp dport > 79', 'yes'],
    ['tcp dport > 80', 'no'],
    ['tcp dport >= 80', 'yes'],
    ['tcp dport >= 81', 'no'],
    ['meta mark < 0x00004001', 'yes'],
    ['udp dport < 81', 'no'],
    ['ip ttl < 64', 'unknown'],
    ['tcp dport < http', 'unknown'],
    ['meta l4proto < udp', 'unknown'],
    ['tcp dport < { 81 }', 'unknown'],
    ['ip saddr > @s', 'unknown'],

    ['iifname eth0', 'yes'],
    ['iifname eth*', 'yes'],
    ['iifname != eth1', 'yes'],
    ['iif eth0', 'yes'],
    ['iif eth1', 'no'],
    ['iifname eth0', 'unknown', { inInterface: undefined }],
    ['oifname lo', 'no'],
    ['oifname lo', 'yes', {}, { hook: 'OUTPUT', local: 'yes' }],
    ['oif lo', 'yes', {}, { hook: 'OUTPUT', local: 'yes' }],
    ['oifname l*', 'yes', {}, { hook: 'OUTPUT', local: 'yes' }],
    ['oifname eth0', 'no', {}, { hook: 'OUTPUT', local: 'yes' }],
    ['oifname eth0', 'unknown', {}, { hook: 'OUTPUT' }],
    ['meta pkttype host', 'unknown'],

    ['ct state new', 'yes'],
    ['ct state established', 'no'],
    ['ct state established,new', 'yes'],
    ['ct state != established,related', 'yes'],
    ['ct status dnat', 'no'],
    ['ct status dnat', 'yes', { translatedBy: 'dnat' }],
    ['ct status dnat', 'no', { translatedBy: 'server' }],
    ['ct status snat', 'no'],
    ['ct status snat', 'yes', { masqueraded: true }],
    ['ct status dnat,snat', 'yes', { masqueraded: true }],
    ['ct status confirmed', 'unknown'],
    ['ct mark 0x00000005', 'unknown'],
    ['ct direction dnat', 'unknown', { translatedBy: 'dnat' }],

    ['fib daddr type local', 'yes', {}, { local: 'yes' }],
    ['fib daddr type local', 'no', {}, { local: 'no' }],
    ['fib daddr type local', 'unknown', {}, { local: 'unknown' }],
    ['fib daddr type unicast', 'no', {}, { local: 'yes' }],
    ['fib daddr type unicast', 'yes', {}, { local: 'no' }],
    ['fib daddr type unicast', 'unknown', {}, { local: 'unknown' }],
    ['fib daddr type unicast', 'no', { destination: '224.0.0.1' }],
    ['fib daddr type unicast', 'no', { destination: '0.0.0.0' }],
    ['fib saddr type unicast', 'yes', { destination: '0.0.0.0' }],
    ['fib daddr type multicast', 'yes', { destination: '224.0.0.1' }],
    ['fib daddr type multicast', 'no', { source: '224.0.0.1' }],
    ['fib saddr type multicast', 'yes', { source: '224.0.0.1' }],
    ['fib daddr type broadcast', 'unknown'],
    ['fib daddr type broadcast', 'no', {}, { local: 'yes' }],
    ['fib daddr oif lo', 'unknown'],

    ['numgen random mod 4 0', createFraction(1, 4)],
    ['numgen random mod 4 != 0', createFraction(3, 4)],
    ['numgen random mod 4 { 0, 3, 4 }', createFraction(2, 4)],
    ['numgen random mod 4 != { 0, 3 }', createFraction(2, 4)],
    ['numgen random mod 4 offset 2 { 1, 2, 5, 6 }', createFraction(2, 4)],
    ['numgen random mod 4 < 1', createFraction(1, 4)],
    ['numgen random mod 4 <= 1', createFraction(2, 4)],
    ['numgen random mod 4 > 1', createFraction(2, 4)],
    ['numgen random mod 4 >= 1', createFraction(3, 4)],
    ['numgen random mod 4 <= 4', createFraction(4, 4)],
    ['numgen random mod 4 > 3', createFraction(0, 4)],
    ['numgen random mod 4 offset 2 < 3', createFraction(1, 4)],
    ['numgen random mod 4 offset 2 < 1', createFraction(0, 4)],
    ['numgen random mod 4 offset 2 >= 1', createFraction(4, 4)],
    ['numgen random mod 4 x', 'unknown'],
    ['numgen random mod 4 { 0, x }', 'unknown'],
    ['numgen random mod 4 @s', 'unknown'],
    ['numgen random mod 4 . ip saddr 0 . 10.0.0.1', 'unknown'],

    ['ip saddr @s', 'yes'],
    ['ip daddr @s', 'no'],
    ['ip daddr != @s', 'yes'],
    ['ip saddr @n', 'yes'],
    ['ip saddr @n', 'yes', { source: '10.9.0.9' }],
    ['ip saddr @n', 'no', { source: '10.9.0.10' }],
    ['ip saddr @e', 'no'],
    ['ip saddr @none', 'unknown'],
    ['ip6 saddr @s', 'no'],
    ['ip saddr . tcp dport @p', 'yes'],
    ['ip daddr . tcp dport @p', 'no'],
    ['ip saddr . udp dport @p', 'no'],
    ['ip saddr . tcp sport @p', 'unknown', { sourcePort: undefined }],
    ['ip daddr . tcp sport @p', 'no', { sourcePort: undefined }],
    ['ip saddr . tcp dport @r', 'yes'],
    ['ip saddr . tcp sport @r', 'no'],
    ['ip saddr . tcp sport @r', 'unknown', { sourcePort: undefined }],
    ['ip ttl @l', 'unknown'],

    ['ip saddr @d', 'no'],
    ['ip saddr @d', 'yes', {}, { seen: 0 }],
    ['ip saddr @d', 'yes', {}, { seen: 59.999 }],
    ['ip saddr @d', 'no', {}, { seen: 60 }],
    ['ip saddr @d', 'no', { source: '10.0.0.3' }, { seen: 0 }],
    ['ip saddr != @d', 'no', {}, { seen: 0 }],
    ['ip daddr @d', 'no', {}, { seen: 0 }],
    ['ip saddr . tcp dport @d', 'no', {}, { seen: 0 }],
    ['ip saddr @s', 'no', { source: '10.0.0.3' }, { seen: 0 }],
  ])('in the rule "%s" evaluates to %o', (rule, expected, fields, around) => {
    expect(result(rule, passageOf(fields, around))).toEqual(expected)
  })

  it('remembers clients forever in a dynamic set without a timeout', () => {
    const [statement] = statementsOf('ip saddr @d')
    if (statement?.kind !== 'match') throw new Error('no match')
    const readSet = createReadSet()
    const passage = passageOf({ readSet }, { seen: 1e9 })
    const sets = () => indexSet({ flags: ['dynamic'], elements: [] })
    expect(evaluateMatch(statement, passage, sets)).toBe('yes')
    expect(evaluateMatch(statement, passageOf(), sets)).toBe('no')
    expect([...readSet.clients]).toEqual([['d', Number.MAX_SAFE_INTEGER / 1000]])
  })

  it('finds the most specific of several matching elements', () => {
    const set = indexSet({
      elements: [{ key: '10.0.0.0/8' }, { key: '10.0.0.1', comment: 'one' }, { key: '10.0.0.0/30' }],
    })
    const find = (words: string, fields?: Partial<KernelPacket>) =>
      findElement(set, selectorsOf(words), passageOf(fields))
    expect(find('ip saddr')).toEqual({ key: '10.0.0.1', comment: 'one' })
    expect(find('ip daddr')).toEqual({ key: '10.0.0.0/8' })
    expect(find('ip daddr', { destination: '11.0.0.1' })).toBe('none')
    expect(find('ip6 daddr')).toBe('none')
    expect(find('ip ttl')).toBe('unknown')
  })
})

describe('the index of a set', () => {
  it('finds an element only if the set has the source of the packet', () => {
    const set = indexSet({ elements: [{ key: '10.0.0.1 . 80' }, { key: '10.0.0.1 . 81' }] })
    const find = (fields: Partial<KernelPacket>) =>
      findElement(set, selectorsOf('ip saddr . tcp dport'), passageOf(fields))
    expect(find({ source: '10.0.0.1', destinationPort: 81 })).toEqual({ key: '10.0.0.1 . 81' })
    expect(find({ source: '10.0.0.1', destinationPort: 82 })).toBe('none')
    expect(find({ source: '10.0.0.2', destinationPort: 81 })).toBe('none')
  })

  it('does not look up the source if keys are networks or begin with another field', () => {
    const networks = indexSet({ elements: [{ key: '10.0.0.0/8 . 80' }] })
    const fields = { source: '10.0.0.7', destinationPort: 80 }
    expect(findElement(networks, selectorsOf('ip saddr . tcp dport'), passageOf(fields))).not.toBe('none')
    const ports = indexSet({ elements: [{ key: '80 . 10.0.0.7' }] })
    expect(findElement(ports, selectorsOf('tcp dport . ip saddr'), passageOf(fields))).not.toBe('none')
  })

  it('splits the first component from a key', () => {
    expect(splitFirstComponent('10.0.0.1 . tcp . 80')).toEqual(['10.0.0.1', 'tcp . 80'])
    expect(splitFirstComponent('10.0.0.1')).toEqual(['10.0.0.1', undefined])
  })
})

describe('the read set of a match', () => {
  /** Returns the read set: sources, ports, clients, local sources, and the number of source reads. */
  function readSetBy(rule: string, fields: Partial<KernelPacket> = {}): readonly unknown[] {
    const readSet: ReadSet = createReadSet()
    result(rule, passageOf({ readSet, ...fields }))
    const { sources, ports, clients, localSources, sourceReads } = readSet
    return [[...sources], [...ports], [...clients], localSources, sourceReads]
  }

  it.each<[string, readonly unknown[], Partial<KernelPacket>?]>([
    ['ip saddr 10.0.0.0/8', [['10.0.0.0/8'], [], [], false, 1]],
    ['ip saddr { 10.0.0.0/8, 11.0.0.1 }', [['10.0.0.0/8', '11.0.0.1'], [], [], false, 2]],
    ['ip daddr 10.0.0.0/8', [[], [], [], false, 0]],
    ['meta mark 0x00000005', [[], [], [], false, 0]],
    ['tcp dport 80-90', [[], ['80-90'], [], false, 0]],
    ['tcp dport { 80, 90 }', [[], ['80', '90'], [], false, 0]],
    ['tcp dport 80', [[], [], [], false, 0], { translatedBy: 'dnat' }],
    ['tcp sport 80', [[], [], [], false, 0]],
    ['udp dport 80', [[], [], [], false, 0]],
    ['ip saddr . tcp dport 10.0.0.9 . 81', [['10.0.0.9'], ['81'], [], false, 1]],
    ['ip daddr . tcp dport 10.0.0.9 . 81', [[], [], [], false, 0]],
    ['ip daddr . ip saddr . tcp dport { 10.0.0.9 . 10.0.0.8 . 81 }', [['10.0.0.8'], [], [], false, 1]],
    ['fib saddr type local', [[], [], [], true, 1]],
    ['fib daddr type local', [[], [], [], false, 0]],
    ['ip saddr @s', [['10.0.0.1'], [], [], false, 1]],
    ['ip saddr @n', [['10.0.0.0/30', '10.9.0.0-10.9.0.9'], [], [], false, 2]],
    ['ip saddr . tcp dport @p', [['10.0.0.1', '10.0.0.7'], ['80', '81'], [], false, 2]],
    ['ip saddr . tcp dport @p', [['10.0.0.8'], ['80', '81'], [], false, 1], { destinationPort: 443 }],
    ['ip saddr . tcp dport @p', [['10.0.0.1', '10.0.0.7'], [], [], false, 2], { translatedBy: 'server' }],
    ['ip saddr . tcp sport @p', [['10.0.0.1', '10.0.0.7', '10.0.0.8'], [], [], false, 4], { sourcePort: undefined }],
    ['ip saddr . tcp dport @r', [['10.0.0.0/8'], ['80-90'], [], false, 1]],
    ['tcp sport . ip daddr . tcp dport @a', [[], [], [], false, 0]],
    ['ip saddr @d', [[], [], [['d', 60]], false, 0]],
    ['ip saddr @e', [[], [], [], false, 0]],
  ])('contains for "%s" the sources, ports, clients, local sources and source reads %j', (rule, readSet, fields) => {
    expect(readSetBy(rule, fields)).toEqual(readSet)
  })

  it('groups keys that differ in only one component', () => {
    const keys = ['a . b . 1', 'a . c . 1', 'a . b . 2'].map((key) => ({ key }))
    const { partsBeside } = indexSet({ elements: [...keys, { key: 'a . b . 1-2' }] })
    expect([...partsBeside(1)]).toEqual([
      ['a . 1', ['b', 'c']],
      ['a . 2', ['b']],
    ])
    expect([...partsBeside(2)]).toEqual([
      ['a . b', ['1', '2']],
      ['a . c', ['1']],
    ])
    expect([...partsBeside(3)]).toEqual(keys.map(({ key }) => [key, ['']]))
    expect(partsBeside(1)).toBe(partsBeside(1))
  })
})

describe('destinations of a table', () => {
  const placesIn = (body: string) => [...destinationsOfTables({ tables: [tableOf(`table ip t {\n${body}}\n`)] })]
  const inChain = (rule: string) => placesIn(`\tchain c {\n\t\t${rule}\n\t}\n`)

  it.each<readonly [string, readonly unknown[]]>([
    ['ip daddr 10.0.0.1', [{ address: '10.0.0.1', port: undefined }]],
    ['ip daddr != 10.0.0.0/8', [{ address: '10.0.0.0/8', port: undefined }]],
    ['ip daddr { 10.0.0.1, 10.0.0.2 }', [{ address: '10.0.0.1' }, { address: '10.0.0.2' }]],
    ['ip daddr . tcp dport 10.0.0.1 . 80', [{ address: '10.0.0.1', port: '80' }]],
    ['tcp sport . ip daddr . tcp dport { 5 . 10.0.0.1 . 80-90 }', [{ address: '10.0.0.1', port: '80-90' }]],
    ['ip saddr . ip daddr 10.0.0.1 . 10.0.0.2', [{ address: '10.0.0.1' }, { address: '10.0.0.2' }]],
    ['ip daddr @s', []],
    ['ip saddr 10.0.0.1', []],
    ['ct state new', []],
    ['drop', []],
    ['dnat to 10.0.0.1:80', []],
    ['ip daddr vmap { 10.0.0.1 : drop }', [{ address: '10.0.0.1' }]],
    ['ip daddr vmap @m', []],
    ['dnat to ip daddr map { 10.0.0.1 : 10.0.0.2 }', [{ address: '10.0.0.1' }]],
    ['dnat to numgen random mod 1 map { 0 : 10.0.0.2 }', []],
    ['ip daddr . meta l4proto . th dport vmap { 10.0.0.1 . tcp . 80 : drop }', [{ address: '10.0.0.1', port: '80' }]],
    ['ip daddr 10.0.0.1 ip daddr 10.0.0.2', [{ address: '10.0.0.1' }, { address: '10.0.0.2' }]],
  ])('include the destinations of the rule "%s"', (rule, places) => {
    expect(inChain(rule)).toEqual(places)
  })

  it('list destinations of set elements before destinations of rules', () => {
    const body = `\tset s {
		type ipv6_addr . inet_proto . inet_service
		elements = { fd00::1 . tcp . 80, fd00::2 . udp . 53 }
	}

	set p {
		type inet_service
		elements = { 80 }
	}

	chain c {
		drop
		ip6 daddr fd00::3 drop
	}

	chain d {
		ip6 daddr fd00::4 drop
	}
`
    expect(placesIn(body)).toEqual([
      { address: 'fd00::1', port: '80' },
      { address: 'fd00::2', port: '53' },
      { address: 'fd00::3', port: undefined },
      { address: 'fd00::4', port: undefined },
    ])
  })
})

describe('missing parts of a table', () => {
  const table = tableOf('table ip t {\n\tset s {\n\t\ttype mark\n\t}\n\n\tchain c {\n\t}\n}\n')
  const problemOf = (fragment: StateCoverage | undefined, rule: string) => {
    const missing = findMissingTableContent(table, createCoverageQueries(fragment))
    return [
      missing.missingPartOfChain('c'),
      missing.missingPartOfChain('other'),
      missing.missingPartOfRule({ statements: statementsOf(rule) }),
    ]
  }

  it.each<readonly [string, readonly string[] | undefined, string, readonly unknown[]]>([
    ['are none in a state without coverage', undefined, 'meta mark @s', [undefined, undefined, undefined]],
    ['are none if the coverage includes all tables', ['nftables'], 'meta mark @s', [undefined, undefined, undefined]],
    [
      'are none if the coverage includes the table',
      ['nftables ip t'],
      'meta mark @other',
      [undefined, undefined, undefined],
    ],
    [
      'are all parts if the coverage includes only another table',
      ['nftables ip u'],
      'meta mark @s',
      ['not all of chain c is in the dump', 'chain other is missing in the dump', 'not all of s is in the dump'],
    ],
    [
      'exclude the chain and the set that the coverage includes',
      ['nftables ip t chain c', 'nftables ip t set s'],
      'meta mark @s meta mark @other',
      [undefined, 'chain other is missing in the dump', 'other is missing in the dump'],
    ],
    [
      'do not include a set if the rule references none',
      [],
      'drop',
      ['not all of chain c is in the dump', 'chain other is missing in the dump', undefined],
    ],
  ])('%s', (_, complete, rule, problem) => {
    expect(problemOf(complete && { complete }, rule)).toEqual(problem)
  })
})
