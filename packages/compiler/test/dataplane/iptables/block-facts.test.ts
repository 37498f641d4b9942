import { describe, expect, it } from 'vitest'
import type { Block } from '../../../src/dataplane/iptables/ast.js'
import { endpointsOf, factsOf } from '../../../src/dataplane/iptables/block-facts.js'
import { blockRules, ruleCounts, sharedCounts } from '../../../src/dataplane/iptables/block-rules.js'
import { rulesIn } from '../../../src/dataplane/iptables/lazy-block.js'
import { readRule } from './read-rule.js'

/** A block with the chain OWN, and rules as `CHAIN WORDS`. */
function block(rules: readonly string[], owner = 'x', family: 'IPv4' | 'IPv6' = 'IPv4'): Block {
  return {
    owner,
    chains: ['OWN'],
    rules: rules.map((text) => {
      const [chain = '', ...words] = text.split(' ')
      return { ...readRule(words.join(' '), family), chain }
    }),
  }
}

const VIRTUAL_SERVER = '-m ipvs --vaddr 10.96.0.1 --vproto tcp --vport 80'

describe('packets come to a block', () => {
  it.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ['by addresses', ['ALL -d 10.96.0.1/32 -j OWN', 'ALL -d 10.96.0.2 -j OWN'], ['10.96.0.1', '10.96.0.2'], []],
    ['not by its own chains', ['OWN -j ACCEPT', 'ALL -d 10.96.0.1 -j OWN'], ['10.96.0.1'], []],
    ['not at all', ['OWN -d 10.96.0.1 -j ACCEPT'], [], []],
    ['by a chain of all without one', ['ALL -j OWN', 'ALL -d 10.96.0.1 -j OWN'], ['10.96.0.1'], ['ALL']],
    ['by a chain of all with another one', ['ALL ! -d 10.96.0.1 -j OWN'], [], ['ALL']],
    ['by a chain of all in a network', ['ALL -d 10.96.0.0/16 -j OWN'], [], ['ALL']],
    ['by the one of two that is wanted', ['ALL ! -d 10.96.0.1 -d 10.96.0.2 -j OWN'], ['10.96.0.2'], []],
    ['by a chain of all by a source', ['ALL -s 10.96.0.1 -j OWN'], [], ['ALL']],
    ['by addresses of the node', ['ALL -m addrtype --dst-type LOCAL -j OWN'], [], ['local']],
    ['by others', ['ALL -m addrtype ! --dst-type LOCAL -j OWN'], [], ['ALL']],
    ['by sources of the node', ['ALL -m addrtype --src-type LOCAL -j OWN'], [], ['ALL']],
    ['by broadcasts', ['ALL -m addrtype --dst-type BROADCAST -j OWN'], [], ['ALL']],
    ['by the one of its virtual server', [`ALL -s 10.96.0.2 ${VIRTUAL_SERVER} -j DROP`], ['10.96.0.1'], []],
    ['at a port', ['ALL -p tcp --dport 80 -j OWN'], [], ['ALL 80']],
    ['at a port of the node', ['ALL -m addrtype --dst-type LOCAL -p tcp --dport 80 -j OWN'], [], ['local 80']],
    ['at other ports', ['ALL -p tcp ! --dport 80 -j OWN'], [], ['ALL']],
    ['at some ports', ['ALL -p tcp --dport 80:90 -j OWN'], [], ['ALL']],
  ])('%s', (_, rules, places, within) => {
    const facts = factsOf(block(rules))
    expect(facts).toMatchObject({ places, isAnywhere: false, asksSetForSource: false })
    expect(facts.within.map(({ name, port }) => (port === undefined ? name : `${name} ${port}`))).toEqual(within)
  })

  it('of nobody from anywhere, by any of its rules', () => {
    const facts = factsOf(block(['OWN -d 10.96.0.1/32 -j ACCEPT', 'ALL -j OWN'], ''))
    expect(facts).toMatchObject({ places: ['10.96.0.1'], within: [], isAnywhere: true })
  })

  it('of IPv6 by addresses, too', () => {
    const facts = factsOf(block(['ALL -d fd00::1/128 -j OWN', 'ALL -d fd00::/32 -j OWN'], 'x', 'IPv6'))
    expect(facts).toMatchObject({ places: ['fd00::1'], within: [{ name: 'ALL' }] })
  })

  it('and from it to chains that are not its own, each once', () => {
    const rules = ['ALL -j OWN', 'OWN -j MARK-IT', 'OWN -g OTHER', 'OWN -j OTHER', 'OWN -j DROP', 'OWN']
    expect(factsOf(block(rules)).leadsTo).toEqual(['MARK-IT', 'OTHER'])
  })

  it.each([
    ['src,dst', true],
    ['src', true],
    ['dst,src', false],
    ['dst,dst', false],
  ])('that asks a set for %s: its source counts: %s', (directions, asks) => {
    const rules = ['OWN -j ACCEPT', `OWN -p tcp -m set --match-set A ${directions} -j ACCEPT`]
    expect(factsOf(block(rules)).asksSetForSource).toBe(asks)
  })
})

it('a block sends packets where its rules translate them to, each once', () => {
  const dnat = (to: string) => `OWN -j DNAT --to-destination ${to}`
  const sent = ['10.244.1.2:80', '10.244.1.1:80', '10.244.1.2:81', '10.244.1.3'].map(dnat)
  expect(endpointsOf(block([...sent, 'OWN -j ACCEPT', 'OWN']))).toEqual(['10.244.1.2', '10.244.1.1', '10.244.1.3'])
  expect(endpointsOf(block([dnat('[fd00::1]:80'), dnat('2001:10::2')], 'x', 'IPv6'))).toEqual([
    ...['fd00::1', '2001:10::2'],
  ])
})

it('a block sends packets to the node where it redirects them', () => {
  expect(endpointsOf(block(['OWN -p tcp -j REDIRECT --to-ports 80']))).toEqual(['local'])
})

describe('the rules of a block', () => {
  const RULES = ['ALL -j OWN', 'OWN -j A', 'ALL -j B', 'OTHER -j C']

  it('are those of its chains and those of shared ones', () => {
    const of = block(RULES)
    const [a, b, c, d] = rulesIn(of)
    const { own, shared } = blockRules(of)
    expect([...own]).toEqual([['OWN', [b]]])
    expect([...shared]).toEqual([
      ['ALL', [a, c]],
      ['OTHER', [d]],
    ])
    expect([...blockRules(block([])).own]).toEqual([['OWN', []]])
  })

  it('are all shared where it is of nobody, and none where there is no block', () => {
    const { own, shared } = blockRules(block(RULES, ''))
    expect([[...own], [...shared.keys()]]).toEqual([[], ['ALL', 'OWN', 'OTHER']])
    expect([blockRules(undefined).own.size, blockRules(undefined).shared.size]).toEqual([0, 0])
  })

  it('are counted by their chains', () => {
    expect(sharedCounts(block(RULES))).toEqual([
      { chain: 'ALL', count: 2 },
      { chain: 'OTHER', count: 1 },
    ])
    expect(ruleCounts(block(RULES).rules)).toEqual([
      { chain: 'ALL', count: 2 },
      { chain: 'OWN', count: 1 },
      { chain: 'OTHER', count: 1 },
    ])
    expect(ruleCounts([])).toEqual([])
  })
})
