import { describe, expect, it } from 'vitest'
import type { MatchKind } from '../../../../../compiler/src/dataplane/iptables/ast.js'
import { createDestinationReadLog } from '../../../../../compiler/src/dataplane/netfilter/destination-read-log.js'
import type { KernelPacket } from '../../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { createReadSet, type ReadSet } from '../../../../../compiler/src/dataplane/netfilter/read-set.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { kernelPacket, passage } from '../../../../../compiler/test/support/passages.js'
import { evaluateMatches } from '../../../../src/dataplane/iptables/evaluate/evaluate-matches.js'

function evaluate(words: string, packet: Partial<KernelPacket>) {
  return evaluateMatches(readRule(words).matches.slice(-1), passage(packet, { hook: 'FORWARD' }))
}

describe('the read set of a match', () => {
  it.each<[string, Partial<ReadSet>]>([
    ['-s 10.0.0.0/8', { sources: new Set(['10.0.0.0/8']), sourceReads: 1 }],
    ['! -s 10.0.0.1', { sources: new Set(['10.0.0.1']), sourceReads: 1 }],
    ['-d 10.0.0.0/8', {}],
    ['-i cni+', { interfaces: new Set(['cni+']) }],
    ['-o eth0', {}],
    ['-m tcp --dport 80:90', { ports: new Set(['80-90']) }],
    ['-m tcp ! --dport 80', { ports: new Set(['80-80']) }],
    ['-m tcp --sport 80', {}],
    ['-m addrtype --src-type LOCAL', { localSources: true, sourceReads: 1 }],
    ['-m addrtype --dst-type LOCAL', {}],
    ['-m physdev --physdev-is-in', { bridged: true }],
    ['-m recent --name A --rcheck --seconds 10', { clients: new Map([['A', 10]]) }],
    ['-m recent --name A --rcheck', { clients: new Map([['A', 0xffffffff]]) }],
    ['-m recent --name A --set', {}],
    ['-m mark --mark 0x1', {}],
  ])('contains the facts that %s reads', (words, expected) => {
    const readSet = createReadSet()
    const result = evaluate(words, { readSet })
    expect(readSet).toEqual({ ...createReadSet(), ...expected })
    expect(evaluate(words, {})).toEqual(result)
  })

  it('excludes a port if the packet was already translated', () => {
    const readSet = createReadSet()
    expect(evaluate('-m tcp --dport 80', { readSet, translatedBy: 'dnat' })).toBe('yes')
    expect(readSet).toEqual(createReadSet())
  })

  it.each([
    [10, 5],
    [5, 10],
    [10, 10],
  ])('contains the longer of two session-affinity timeouts: %d and %d', (first, second) => {
    const readSet = createReadSet()
    for (const seconds of [first, second]) evaluate(`-m recent --name A --rcheck --seconds ${seconds}`, { readSet })
    evaluate('-m recent --name B --rcheck --seconds 7', { readSet })
    expect(readSet.clients).toEqual(
      new Map([
        ['A', 10],
        ['B', 7],
      ]),
    )
  })
})

/** The number of destination reads by a match of each kind. */
const OF_DESTINATION: Readonly<Record<MatchKind, readonly [words: string, questions: number]>> = {
  source: ['-s 10.0.0.1', 0],
  destination: ['-d 10.96.0.1', 1],
  inInterface: ['-i eth0', 0],
  outInterface: ['-o lo', 1],
  protocol: ['-p tcp', 0],
  transport: ['-m tcp', 0],
  sourcePort: ['-m tcp --sport 80', 0],
  destinationPort: ['-m tcp --dport 80', 1],
  comment: ['-m comment --comment a', 0],
  mark: ['-m mark --mark 0x1', 0],
  conntrack: ['-m conntrack --ctstate NEW', 0],
  state: ['-m state --state NEW', 0],
  addrtype: ['-m addrtype --dst-type LOCAL', 1],
  statistic: ['-m statistic --mode random --probability 0.5', 0],
  recent: ['-m recent --name A --rcheck', 0],
  nfacct: ['-m nfacct --nfacct-name a', 0],
  set: ['-m set --match-set A dst', 1],
  physdev: ['-m physdev --physdev-is-in', 0],
  ipvs: ['-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 80', 0],
  unknown: ['-m other --x', 0],
}

describe('destination queries of a match', () => {
  it.each(Object.entries(OF_DESTINATION))(
    'are recorded only if the match of kind %s reads the destination',
    (kind, [words, questions]) => {
      const destinationLog = createDestinationReadLog(undefined)
      expect(readRule(words).matches.at(-1)?.kind).toBe(kind)
      const result = evaluate(words, { destinationLog })
      expect(destinationLog.queries.map(({ result }) => result)).toEqual(questions === 0 ? [] : [result])
      expect(evaluate(words, {})).toEqual(result)
    },
  )

  it('can be evaluated again for another destination', () => {
    const destinationLog = createDestinationReadLog(undefined)
    expect(evaluate('-d 10.96.0.1', { destinationLog })).toBe('yes')
    expect(destinationLog.queries[0]?.evaluate(kernelPacket({ destination: '10.96.0.2' }))).toBe('no')
  })
})

describe('a packet redirected to an interface', () => {
  const redirected = { translatedBy: 'redirectToInterface', destination: '127.0.0.1' } as const

  it.each([
    ['-d 127.0.0.1', 'unknown'],
    ['! -d 127.0.0.1', 'unknown'],
    ['-d 10.0.0.0/8', 'unknown'],
    ['-d 0.0.0.0/0', 'yes'],
    ['! -d 0.0.0.0/0', 'no'],
    ['-s 203.0.113.2', 'yes'],
  ])('gives the match %s the result %s if the address of the interface is unknown', (words, result) => {
    expect(evaluate(words, redirected)).toBe(result)
  })

  it('has a known destination if its redirect goes to the loopback address', () => {
    expect(evaluate('-d 127.0.0.1', { ...redirected, translatedBy: 'redirect' })).toBe('yes')
  })
})
