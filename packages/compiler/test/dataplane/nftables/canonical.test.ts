import { describe, expect, it } from 'vitest'
import { findLineOfRule } from '../../../../analyzer/src/dataplane/nftables/rule-lines.js'
import {
  anonymousElementsOfRule,
  restrictRuleToElement,
  restrictStatementToElement,
  verdictMapOfRule,
} from '../../../../analyzer/src/dataplane/nftables/rule-with-element.js'
import { findJumpProblem } from '../../../../analyzer/test/support/reach.js'
import type { Element, NamedSet, Rule, Statement, Table } from '../../../src/dataplane/nftables/ast.js'
import { canonicalize } from '../../../src/dataplane/nftables/canonical.js'
import { formatNftRule } from '../../../src/dataplane/nftables/format-nft-rule.js'
import {
  chainOfVerdict,
  chainsOfElements,
  chainsOfRule,
  countersOfRule,
  setsOfRule,
} from '../../../src/dataplane/nftables/references.js'
import { statementsOf } from './tables.js'

const EMPTY: Table = { family: 'ip', name: 't', chains: [], sets: [], objects: [] }
const SET: NamedSet = { kind: 'set', name: 's', key: { kind: 'type', types: ['ipv4_addr'] }, elements: [] }
const NAMES = ['d', 'a', 'c', 'e', 'b']

const ruleOf = (words: string): Rule => ({ statements: statementsOf(words) })

function canonicalSet(parts: Partial<NamedSet>): NamedSet | undefined {
  return canonicalize({ ...EMPTY, sets: [{ ...SET, ...parts }] }).sets[0]
}

function canonicalStatement(statement: Statement): Statement | undefined {
  return canonicalize({ ...EMPTY, chains: [{ name: 'c', rules: [{ statements: [statement] }] }] }).chains[0]?.rules[0]
    ?.statements[0]
}

describe('the canonical form of an nftables table', () => {
  it('shares the chains, rules and statements that are in this form already', () => {
    const [source, jump] = ['ip saddr 10.0.0.1', 'jump d'].map(ruleOf) as [Rule, Rule]
    const chains = [
      { name: 'c', rules: [source, jump] },
      { name: 'd', rules: [source, ruleOf('ip saddr { 10.0.0.2 } drop')] },
    ]
    const [same, changed] = canonicalize({ ...EMPTY, chains }).chains
    expect(same).toBe(chains[0])
    expect(changed?.rules[0]).toBe(source)
    expect(changed?.rules[1]).toEqual(ruleOf('ip saddr 10.0.0.2 drop'))
    expect(changed?.rules[1]?.statements[1]).toBe(chains[1]?.rules[1]?.statements[1])
  })

  it('has no handles, and has counters with value 0', () => {
    const handle = 7
    const table: Table = {
      ...EMPTY,
      handle,
      comment: 'why',
      flags: ['dormant'],
      chains: [{ name: 'c', handle, comment: 'it', rules: [{ handle, comment: 'is', statements: [] }] }],
      sets: [{ ...SET, handle, comment: 'so' }],
      objects: [
        { kind: 'counter', name: 'k', handle, packets: 1, bytes: 2, comment: 'there' },
        { kind: 'unknown', type: 'quota', name: 'q', handle, lines: [['over', '5', 'mbytes']] },
      ],
    }
    expect(canonicalize(table)).toStrictEqual({
      family: 'ip',
      name: 't',
      comment: 'why',
      flags: ['dormant'],
      chains: [{ name: 'c', comment: 'it', rules: [{ comment: 'is', statements: [] }] }],
      sets: [{ ...SET, comment: 'so' }],
      objects: [
        { kind: 'counter', name: 'k', packets: 0, bytes: 0, comment: 'there' },
        { kind: 'unknown', type: 'quota', name: 'q', lines: [['over', '5', 'mbytes']] },
      ],
    })
  })

  it('is sorted by name, except that rules in a chain keep their order', () => {
    const { chains, sets, objects } = canonicalize({
      ...EMPTY,
      chains: NAMES.map((name) => ({ name, rules: [ruleOf('return'), ruleOf('accept')] })),
      sets: NAMES.map((name) => ({ ...SET, name })),
      objects: NAMES.map((name) => ({ kind: 'unknown', type: 'quota', name, lines: [] })),
    })
    for (const items of [chains, sets, objects]) {
      expect(items.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
    }
    expect(chains[0]?.rules).toEqual([ruleOf('return'), ruleOf('accept')])
  })

  it('has elements sorted by key, and keeps only the last element of each key', () => {
    const elements: readonly Element[] = [
      ...['10.0.0.9', '10.0.0.10', '9.0.0.1', '10.0.0.2', '10.0.0.1'].map((key) => ({ key })),
      { key: '10.0.0.9', comment: 'last' },
    ]
    expect(canonicalSet({ elements })?.elements).toEqual([
      ...['10.0.0.1', '10.0.0.10', '10.0.0.2'].map((key) => ({ key })),
      { key: '10.0.0.9', comment: 'last' },
      { key: '9.0.0.1' },
    ])
  })

  it.each<readonly [string, Partial<Element>, Partial<Element>]>([
    ['a key only', {}, {}],
    ['the remaining time', { expires: 5, timeout: 9 }, { timeout: 9 }],
    ['counters', { counter: { packets: 1, bytes: 2 } }, { counter: { packets: 0, bytes: 0 } }],
    [
      'the remaining time and counters',
      { expires: 5, counter: { packets: 1, bytes: 2 }, comment: 'why' },
      { comment: 'why', counter: { packets: 0, bytes: 0 } },
    ],
  ])('keeps only the persistent parts of elements with %s', (_, parts, left) => {
    expect(canonicalSet({ elements: [{ key: '10.0.0.1', ...parts }] })?.elements).toStrictEqual([
      { key: '10.0.0.1', ...left },
    ])
  })

  it.each<readonly [Partial<NamedSet>, number | undefined]>([
    [{ size: 65_535 }, 65_535],
    [{ size: 65_535, flags: ['interval'] }, 65_535],
    [{ size: 65_535, flags: ['dynamic'] }, undefined],
    [{ size: 65_535, flags: ['timeout'] }, undefined],
    [{ size: 65_535, flags: ['constant', 'dynamic'] }, undefined],
    [{ size: 65_535, timeout: 5 }, undefined],
    [{ size: 65_534, timeout: 5 }, 65_534],
    [{ size: 65_536, flags: ['dynamic'] }, 65_536],
    [{ timeout: 5 }, undefined],
  ])('for the set %j has the size %s', (parts, size) => {
    const set = canonicalSet(parts)
    expect(set?.size).toBe(size)
    expect(set !== undefined && 'size' in set).toBe(size !== undefined)
  })

  it('has a policy for each base chain, which is accept by default', () => {
    const base = { type: 'filter', hook: 'input', priority: 0 } as const
    const policyOf = (policy?: 'accept' | 'drop') =>
      canonicalize({ ...EMPTY, chains: [{ name: 'c', base: { ...base, ...(policy && { policy }) }, rules: [] }] })
        .chains[0]
    expect(policyOf()).toStrictEqual({ name: 'c', base: { ...base, policy: 'accept' }, rules: [] })
    expect(policyOf('drop')).toStrictEqual({ name: 'c', base: { ...base, policy: 'drop' }, rules: [] })
    expect(canonicalize({ ...EMPTY, chains: [{ name: 'c', rules: [] }] }).chains).toStrictEqual([
      { name: 'c', rules: [] },
    ])
  })

  it.each<readonly [string, string]>([
    ['ip saddr { 10.0.0.1 }', 'ip saddr 10.0.0.1'],
    ['ip saddr { 10.0.0.0/9, 10.128.0.0/9 }', 'ip saddr 10.0.0.0/8'],
    ['ip saddr { 10.0.0.2, 10.0.0.1 }', 'ip saddr { 10.0.0.1, 10.0.0.2 }'],
    ['ip saddr . tcp dport { 10.0.0.1 . 80 }', 'ip saddr . tcp dport { 10.0.0.1 . 80 }'],
    ['ip saddr @s', 'ip saddr @s'],
    ['counter packets 5 bytes 7', 'counter packets 0 bytes 0'],
    ['counter name "k"', 'counter name "k"'],
    ['reject with icmp port-unreachable', 'reject'],
  ])('replaces the statement %s with %s', (written, normal) => {
    const [[before], [after]] = [statementsOf(written), statementsOf(normal)]
    expect(canonicalStatement(before as Statement)).toStrictEqual(after)
  })
})

describe('formatNftRule', () => {
  it.each([
    ['counter packets 5 bytes 7 ip saddr { 10.0.0.1 } drop', 'counter packets 0 bytes 0 ip saddr 10.0.0.1 drop'],
    ['mark set mark or 0x4000', 'meta mark set meta mark | 0x00004000'],
    ['reject with icmp port-unreachable', 'reject'],
    ['reject with icmpv6 port-unreachable', 'reject with icmpv6 port-unreachable'],
    [
      'dnat to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }',
      'dnat addr . port to numgen random mod 1 map { 0 : 10.0.0.1 . 80 }',
    ],
    ['iifname eth0 accept', 'iifname "eth0" accept'],
  ])('returns the canonical text of the rule %s', (words, text) => {
    expect(formatNftRule(ruleOf(words))).toBe(text)
    expect(formatNftRule({ ...ruleOf(words), comment: 'a b', handle: 5 })).toBe(`${text} comment "a b"`)
  })

  it('returns only the comment if a rule has no statements', () => {
    expect([formatNftRule({ statements: [] }), formatNftRule({ statements: [], comment: 'x' })]).toEqual([
      '',
      'comment "x"',
    ])
  })
})

describe('a rule with map elements', () => {
  const one = { key: '80', verdict: { kind: 'drop' } } as const
  const map = (key: string) => ruleOf(`tcp sport 5 tcp dport vmap ${key} accept`)

  it.each<readonly [string, string | undefined, readonly string[]]>([
    ['ip saddr 10.0.0.1 tcp dport vmap @m', 'm', []],
    ['tcp sport vmap @m tcp dport vmap @n', 'm', []],
    ['tcp dport vmap { 80 : drop, 81 : accept }', undefined, ['80', '81']],
    ['tcp sport vmap { 5 : drop } tcp dport vmap { 80 : drop }', undefined, ['5', '80']],
    ['tcp sport vmap { 5 : drop } tcp dport vmap @m', 'm', ['5']],
    ['dnat to tcp dport map { 80 : 10.0.0.1 }', undefined, ['80']],
    ['dnat to 10.0.0.1', undefined, []],
    ['ip saddr { 10.0.0.1 } drop', undefined, []],
    ['ip saddr @s drop', undefined, []],
  ])('has the map and the keys: %s', (words, set, keys) => {
    expect(verdictMapOfRule(ruleOf(words))).toBe(set)
    expect(anonymousElementsOfRule(ruleOf(words)).map(({ key }) => key)).toEqual(keys)
  })

  it('can be restricted to one element', () => {
    const single = { ...map('{ 80 : drop }') }
    expect(restrictRuleToElement(map('@m'), one)).toStrictEqual(single)
    expect(restrictRuleToElement(map('{ 79 : drop, 80 : drop }'), one)).toStrictEqual(single)
    expect(restrictRuleToElement({ ...map('@m'), comment: 'x', handle: 5 }, one)).toStrictEqual({
      ...single,
      comment: 'x',
      handle: 5,
    })
    const [dnat] = statementsOf('dnat ip to tcp dport map { 80 : 10.0.0.1, 81 : 10.0.0.2 }')
    const [sent] = statementsOf('dnat ip to tcp dport map { 81 : 10.0.0.2 }')
    expect(restrictStatementToElement(dnat as Statement, { key: '81', data: '10.0.0.2' })).toStrictEqual(sent)
    for (const words of ['dnat to 10.0.0.1', 'drop', 'ip saddr { 10.0.0.1, 10.0.0.2 }']) {
      const [statement] = statementsOf(words)
      expect(restrictStatementToElement(statement as Statement, one)).toBe(statement)
    }
  })

  it.each<readonly [string, readonly string[], number | undefined]>([
    ['drop', ['accept', 'drop'], 1],
    ['drop', ['drop', 'drop'], undefined],
    ['drop', ['drop x', ' drop'], undefined],
    ['drop', [], undefined],
    ['tcp dport vmap { 80 : drop }', ['tcp dport vmap { 80 : drop }', '80 : drop'], 0],
    ['tcp dport vmap { 80 : drop }', ['tcp dport vmap @m', '80 : drop'], 1],
    ['tcp dport vmap { 80 : drop }', ['elements = { 80 : drop,'], 0],
    ['tcp dport vmap { 80 : drop }', ['elements = { 80 : drop }'], 0],
    ['tcp dport vmap { 80 : drop }', ['x', '80 : drop,'], 1],
    ['tcp dport vmap { 80 : drop }', ['x', '80 : drop }'], 1],
    ['tcp dport vmap { 80 : drop }', ['80 : drop', '80 : drop,'], undefined],
    ['tcp dport vmap { 80 : drop }', ['180 : drop', '80 : drop x', '80 : drop,,'], undefined],
    ['tcp dport vmap { 80 : drop }', ['80 : drop, 81 : drop', 'x elements = { 80 : drop }'], undefined],
    ['tcp dport vmap { 80 comment "a, b" : drop }', ['80 comment "a, b" : drop,'], 0],
    ['tcp dport vmap { 80 comment "a } b" : drop }', ['80 comment "a } b" : drop }'], 0],
    ['tcp dport vmap { 80 : drop } accept', ['80 : drop'], undefined],
    ['elements = { 80 : drop }', ['80 : drop elements = { '], undefined],
  ])('findLineOfRule finds %s in the lines %j at index: %s', (rule, lines, index) => {
    expect(findLineOfRule(rule, lines)).toBe(index)
  })
})

describe('the references of a rule', () => {
  it.each<readonly [string, readonly string[], readonly string[], readonly string[]]>([
    ['drop', [], [], []],
    ['jump a', ['a'], [], []],
    ['goto a', ['a'], [], []],
    ['tcp dport vmap { 80 : jump a, 81 : drop, 82 : goto b, 83 : goto a }', ['a', 'b', 'a'], [], []],
    ['tcp dport vmap @m', [], ['m'], []],
    ['ip saddr @s ip daddr != @r tcp dport { 80 } jump a', ['a'], ['s', 'r'], []],
    ['add @s { ip saddr } tcp dport vmap @m', [], ['s', 'm'], []],
    ['counter name "k" counter packets 0 bytes 0 counter name "l"', [], [], ['k', 'l']],
  ])('are found: %s', (words, chains, sets, counters) => {
    const rule = ruleOf(words)
    expect([chainsOfRule(rule), setsOfRule(rule), countersOfRule(rule)]).toEqual([chains, sets, counters])
  })

  it('include the chains of map elements', () => {
    expect([chainOfVerdict({ kind: 'goto', chain: 'a' }), chainOfVerdict({ kind: 'drop' })]).toEqual(['a', undefined])
    expect(chainOfVerdict(undefined)).toBeUndefined()
    const elements: readonly Element[] = [
      { key: '1', verdict: { kind: 'jump', chain: 'a' } },
      { key: '2' },
      { key: '3', verdict: { kind: 'accept' } },
      { key: '4', verdict: { kind: 'goto', chain: 'a' } },
    ]
    expect(chainsOfElements(elements)).toEqual(['a', 'a'])
  })
})

describe('findJumpProblem', () => {
  /** Builds chains and maps: `A > B C` is a chain with its jumps, `A*` is a base chain, `@m > A` is a map. */
  function impasseOf(...lines: readonly string[]): readonly unknown[] | undefined {
    const read = lines.map((line) => line.split(' > '))
    const paths = new Map(read.map(([name = '', to = '']) => [name.replace('*', ''), to.split(' ').filter(Boolean)]))
    const chains = read.flatMap(([name = '']) => {
      if (name.startsWith('@')) return []
      const to = paths.get(name.replace('*', '')) ?? []
      const rules = to.map((each) => ruleOf(each.startsWith('@') ? `tcp dport vmap ${each}` : `jump ${each}`))
      return [{ name: name.replace('*', ''), isBase: name.endsWith('*'), rules }]
    })
    const impasse = findJumpProblem({
      chains,
      elementsOf: (set) =>
        (paths.get(`@${set}`) ?? []).map((chain, at): Element => ({ key: `${at}`, verdict: { kind: 'goto', chain } })),
    })
    return impasse && [impasse.kind, impasse.path.join(' ')]
  }

  /** Builds a sequence of this many chains after `b`. */
  const long = (count: number, first = 'b*') => [
    `${first} > c1`,
    ...Array.from({ length: count }, (_, at) => `c${at + 1}${at + 1 < count ? ` > c${at + 2}` : ''}`),
  ]
  const places = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, at) => `c${from + at}`).join(' ')

  it.each<readonly [string, readonly string[], readonly unknown[] | undefined]>([
    ['returns undefined if there are no jumps', [], undefined],
    ['ignores jumps to missing chains', ['b* > a', 'c* > a'], undefined],
    ['accepts paths that join', ['b* > a c', 'a > d', 'c > d', 'd'], undefined],
    ['accepts two jumps to one chain', ['b* > a a', 'a'], undefined],
    ['ignores a cycle that no base chain reaches', ['a > c', 'c > a', 'b*'], undefined],
    ['returns a cycle', ['a > c', 'c > a', 'b* > a'], ['loop', 'b a c a']],
    ['returns a jump of a chain to itself', ['b* > a', 'a > a'], ['loop', 'b a a']],
    ['returns a jump back to the base chain', ['b* > a', 'a > b'], ['loop', 'b a b']],
    ['returns a cycle after jumps without a cycle', ['b* > d a', 'd', 'a > e c', 'e', 'c > a'], ['loop', 'b a c a']],
    ['returns a cycle after another base chain', ['x* > d', 'd', 'b* > a', 'a > a'], ['loop', 'b a a']],
    ['returns a cycle through a map', ['b* > @m', '@m > d a', 'd', 'a > @m'], ['loop', 'b a a']],
    ['accepts a path of 15 jumps', long(15), undefined],
    ['returns a path of 16 jumps', long(16), ['depth', `b ${places(1, 16)}`]],
    ['ignores a path of 16 jumps that no base chain reaches', long(16, 'x'), undefined],
    ['accepts a path of 15 jumps through chains that another path uses', ['a* > c2', ...long(15)], undefined],
    [
      'returns a path of 16 jumps through chains that another path uses',
      ['a* > c2', ...long(16)],
      ['depth', `b ${places(1, 16)}`],
    ],
    [
      'returns the longest of several paths',
      ['b* > c2 d', 'd > c1 c2', ...long(15, 'x')],
      ['depth', `b d ${places(1, 15)}`],
    ],
    [
      'returns the first of several paths of equal length',
      ['b* > d e', 'd > c1', 'e > c1', ...long(15, 'x')],
      ['depth', `b d ${places(1, 15)}`],
    ],
  ])('%s', (_, lines, impasse) => {
    expect(impasseOf(...lines)).toEqual(impasse)
  })

  it('reads the elements of each map once', () => {
    const sets: string[] = []
    const rules = [ruleOf('tcp dport vmap @m'), ruleOf('tcp sport vmap @m')]
    const chains = ['a', 'b'].map((name) => ({ name, isBase: true, rules }))
    const elementsOf = (set: string) => {
      sets.push(set)
      return []
    }
    expect(findJumpProblem({ chains, elementsOf })).toBeUndefined()
    expect(sets).toEqual(['m'])
  })
})
