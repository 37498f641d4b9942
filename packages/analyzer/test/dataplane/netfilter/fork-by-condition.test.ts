import { describe, expect, it } from 'vitest'
import { createEquivalentSources } from '../../../../compiler/src/dataplane/netfilter/equivalent-sources.js'
import type { KernelPacket } from '../../../../compiler/src/dataplane/netfilter/kernel-packet.js'
import { createReadSet, recordSourceRead } from '../../../../compiler/src/dataplane/netfilter/read-set.js'
import type { Ternary } from '../../../../compiler/src/dataplane/netfilter/ternary.js'
import { createFraction, type Fraction } from '../../../../compiler/src/internal/fraction.js'
import { facts, kernelPacket } from '../../../../compiler/test/support/passages.js'
import { type ChainResult, TOO_MANY_PATHS } from '../../../src/dataplane/netfilter/chain-result.js'
import { forkByCondition, type RuleCondition } from '../../../src/dataplane/netfilter/fork-by-condition.js'
import { withPathAssumptions } from '../../../src/dataplane/netfilter/locality.js'
import { DROPPED_VERDICT, type PathState, withPacket } from '../../../src/dataplane/netfilter/path-state.js'
import { isUnevaluatedRule, toChainResults } from '../../../src/dataplane/netfilter/unevaluated-rule.js'
import { branch } from './branches.js'

const drop = (path: PathState): readonly ChainResult[] => [{ branch: path, exit: DROPPED_VERDICT }]

function condition(holdsOn: RuleCondition['holdsOn']): RuleCondition {
  return { holdsOn, question: () => 'rule X matches', facts: facts() }
}

const always = (result: Ternary | Fraction) => condition(() => result)

const assumed = (ran: readonly ChainResult[]) =>
  ran.map(({ branch: { assumptions }, exit }) => [
    ...assumptions.map(({ condition, value }) => `${condition}: ${value}`),
    exit === DROPPED_VERDICT ? 'dropped' : exit,
  ])

function ranOf(ran: ReturnType<typeof forkByCondition>): readonly ChainResult[] {
  if (isUnevaluatedRule(ran)) throw new Error('the rule has an end')
  if (ran === 'passed') throw new Error('the rule does not apply')
  return ran
}

describe('a path at a condition with a known result', () => {
  const start = branch()

  it('continues as the rule defines if the condition is true', () => {
    expect(forkByCondition(always('yes'), start, drop)).toEqual([{ branch: start, exit: DROPPED_VERDICT }])
  })

  it('continues with the next rule if the condition is false', () => {
    expect(forkByCondition(always('no'), start, drop)).toBe('passed')
    expect(toChainResults('passed', start)).toEqual([{ branch: start, exit: 'rule' }])
    const ran = drop(start)
    expect(toChainResults(ran, start)).toBe(ran)
  })

  it('forks if the condition is true with a probability', () => {
    const budget = { rules: 1, forks: 0, choices: 1 }
    const path = branch({ weight: createFraction(1, 2), budget })
    expect(forkByCondition(always(createFraction(1, 3)), path, drop)).toEqual([
      { branch: branch({ weight: createFraction(1, 6), budget }), exit: DROPPED_VERDICT },
      { branch: branch({ weight: createFraction(1, 3), budget }), exit: 'rule' },
    ])
    expect(budget.choices).toBe(0)
    expect(assumed(ranOf(forkByCondition(always(createFraction(1, 3)), path, drop)))).toEqual([
      [{ kind: 'unknown', reason: TOO_MANY_PATHS }],
    ])
  })

  it('does not fork if the probability is 1 or 0', () => {
    expect(forkByCondition(always(createFraction(1, 1)), start, drop)).toEqual([
      { branch: start, exit: DROPPED_VERDICT },
    ])
    expect(forkByCondition(always(createFraction(0, 1)), start, drop)).toEqual([{ branch: start, exit: 'rule' }])
  })
})

describe('a path at a condition with an unknown result', () => {
  const local = '192.168.0.9 is an address of the node'
  const isLocal = (field: 'source' | 'destination'): RuleCondition['holdsOn'] => {
    return (path) => withPathAssumptions(path, facts()).isLocal(path.packet[field])
  }
  const unknownAt = (fields: Partial<KernelPacket>) => branch({ packet: kernelPacket(fields) })

  it('forks into one path for each result', () => {
    expect(assumed(ranOf(forkByCondition(always('unknown'), branch(), drop)))).toEqual([
      ['rule X matches: true', 'dropped'],
      ['rule X matches: false', 'rule'],
    ])
  })

  it('records a separate assumption each time that it reaches the condition', () => {
    const assumptions = [
      { condition: 'rule X matches', value: true },
      { condition: 'rule X matches again', value: false },
    ]
    const [taken] = ranOf(forkByCondition(always('unknown'), branch({ assumptions }), drop))
    expect(taken?.branch.assumptions[2]).toEqual({ condition: 'rule X matches again again', value: true })
  })

  it.each(['source', 'destination'] as const)(
    'forks by whether the %s is local if this decides the condition',
    (field) => {
      const ran = forkByCondition(condition(isLocal(field)), unknownAt({ [field]: '192.168.0.9' }), drop)
      expect(assumed(ranOf(ran))).toEqual([
        [`${local}: true`, 'dropped'],
        [`${local}: false`, 'rule'],
      ])
    },
  )

  it('forks first by whether an address is local, then by the condition', () => {
    const holdsOn = (path: PathState) => (isLocal('destination')(path) === 'no' ? 'no' : 'unknown')
    expect(
      assumed(ranOf(forkByCondition(condition(holdsOn), unknownAt({ destination: '192.168.0.9' }), drop))),
    ).toEqual([
      [`${local}: true`, 'rule X matches: true', 'dropped'],
      [`${local}: true`, 'rule X matches: false', 'rule'],
      [`${local}: false`, 'rule'],
    ])
  })

  it('does not fork by an address that does not affect the result', () => {
    expect(assumed(ranOf(forkByCondition(always('unknown'), unknownAt({ destination: '192.168.0.9' }), drop)))).toEqual(
      [
        ['rule X matches: true', 'dropped'],
        ['rule X matches: false', 'rule'],
      ],
    )
  })

  it('does not fork if both forks have equal results', () => {
    const start = branch()
    const count = (path: PathState): readonly ChainResult[] => [{ branch: path, exit: 'rule' }]
    expect(forkByCondition(always('unknown'), start, count)).toEqual([{ branch: start, exit: 'rule' }])
    const mark = (path: PathState): readonly ChainResult[] => [
      { branch: withPacket(path, { ...path.packet, mark: 1 }), exit: 'rule' },
    ]
    expect(forkByCondition(always('unknown'), start, mark)).toHaveLength(2)
    const back = (path: PathState): readonly ChainResult[] => [{ branch: path, exit: 'chain' }]
    expect(forkByCondition(always('unknown'), start, back)).toHaveLength(2)
    const either = (path: PathState): readonly ChainResult[] => [...count(path), ...back(path)]
    expect(forkByCondition(always('unknown'), start, either)).toHaveLength(3)
  })

  it('has an unknown outcome if it has forked too often', () => {
    const ask = (forks: number) => {
      const path = branch({ budget: { rules: 1, forks, choices: 0 } })
      return { ran: assumed(ranOf(forkByCondition(always('unknown'), path, drop))), left: path.budget }
    }
    expect(ask(0).ran).toEqual([[{ kind: 'unknown', reason: TOO_MANY_PATHS }]])
    expect(ask(1)).toEqual({
      ran: [
        ['rule X matches: true', 'dropped'],
        ['rule X matches: false', 'rule'],
      ],
      left: { rules: 1, forks: 0, choices: 0 },
    })
  })
})

describe('a path at a condition on the source address', () => {
  const sources = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']
  const of = (list: readonly string[]) =>
    branch({
      packet: kernelPacket({
        source: list[0] ?? '',
        equivalents: createEquivalentSources(list),
        readSet: createReadSet(),
      }),
    })
  const ofSource = (tell: (source: string) => Ternary | Fraction) =>
    condition(({ packet }) => {
      recordSourceRead(packet.readSet, 'any')
      return tell(packet.source)
    })
  const summaryOf = (ran: ReturnType<typeof forkByCondition>) =>
    ranOf(ran).map(({ branch: { packet }, exit }) => [
      packet.equivalents?.sources.join(' '),
      exit === DROPPED_VERDICT ? 'dropped' : exit,
    ])

  it('forks into one path for each result if it has several sources', () => {
    const isOdd = ofSource((source) => (/[13]$/.test(source) ? 'yes' : 'no'))
    expect(summaryOf(forkByCondition(isOdd, of(sources), drop))).toEqual([
      ['10.0.0.1 10.0.0.3', 'dropped'],
      ['10.0.0.2 10.0.0.4', 'rule'],
    ])
  })

  it('does not fork if all sources have the same result', () => {
    expect(
      forkByCondition(
        ofSource(() => 'no'),
        of(sources),
        drop,
      ),
    ).toBe('passed')
    expect(
      summaryOf(
        forkByCondition(
          ofSource(() => 'yes'),
          of(sources),
          drop,
        ),
      ),
    ).toEqual([[sources.join(' '), 'dropped']])
  })

  it('forks if the result is unknown or random for some sources', () => {
    const each = ofSource((source) => (source === '10.0.0.4' ? createFraction(1, 2) : 'unknown'))
    const lists = ['10.0.0.1 10.0.0.2 10.0.0.3', '10.0.0.4']
    expect(summaryOf(forkByCondition(each, of(sources), drop))).toEqual(
      lists.flatMap((list) => [
        [list, 'dropped'],
        [list, 'rule'],
      ]),
    )
    const chances = ofSource((source) => createFraction(1, /[13]$/.test(source) ? 2 : 3))
    expect(summaryOf(forkByCondition(chances, of(sources), drop)).map(([list]) => list)).toEqual([
      '10.0.0.1 10.0.0.3',
      '10.0.0.1 10.0.0.3',
      '10.0.0.2 10.0.0.4',
      '10.0.0.2 10.0.0.4',
    ])
  })
})
