import { describe, expect, it } from 'vitest'
import type { IptablesState, Rule, RuleBlock, Table, Target } from '../../../../src/dataplane/iptables/ast.js'
import { diffIptables } from '../../../../src/dataplane/iptables/diff/diff-state.js'
import { createLazyBlock, getBlockRules } from '../../../../src/dataplane/iptables/lazy-block.js'
import { resourcesOf } from '../../../../src/dataplane/iptables/resources.js'
import { toIptablesCommands } from '../../../../src/dataplane/iptables/script/script.js'
import { applyChanges, hasNoChanges } from '../../../../src/patch/patch.js'
import { diffCanonical } from '../../../support/diff-canonical.js'
import { loaded, sharing, stateOf } from '../../../support/iptables-states.js'
import { endpoint, servicePort } from '../../../support/model-builder.js'
import { restore } from '../../../support/restore-interpreter.js'

function rule(chain: string, to: string): Rule {
  return { chain, matches: [], target: { kind: 'jump', chain: to } }
}

function accept(chain: string): Rule {
  return { chain, matches: [], target: { kind: 'accept' } }
}

function leadsTo(target: Target | undefined, chain: string): boolean {
  return target?.kind === 'jump' && target.chain === chain
}

function natState(blocks: readonly RuleBlock[], jumps: readonly Rule[] = []): IptablesState {
  return { family: 'IPv4', tables: [{ name: 'nat', jumps, blocks }] }
}

function expectLeads(before: IptablesState, after: IptablesState): void {
  expect(applyChanges(resourcesOf(before), diffIptables(before, after))).toEqual(resourcesOf(after))
}

describe('resourcesOf', () => {
  it('returns owned chains, then shared chains, and then the jumps of built-in chains', () => {
    const head: RuleBlock = { owner: '', chains: ['HEAD'], rules: [] }
    const block: RuleBlock = { owner: 'x', chains: ['X', 'Y'], rules: [rule('HEAD', 'X'), rule('X', 'Y'), accept('Y')] }
    const jumps = [rule('OUTPUT', 'HEAD'), rule('OUTPUT', 'EMPTY')]
    expect([...resourcesOf(natState([head, block], jumps)).values()]).toEqual([
      { id: 'nat/X', refs: ['nat/Y'], value: [rule('X', 'Y')] },
      { id: 'nat/Y', refs: [], value: [accept('Y')] },
      { id: 'nat/HEAD', refs: ['nat/X'], value: [rule('HEAD', 'X')] },
      { id: 'nat/EMPTY', refs: [], value: [] },
      { id: 'nat/OUTPUT', refs: ['nat/EMPTY', 'nat/HEAD'], value: { jumps } },
    ])
  })
})

describe('diffIptables', () => {
  const head: RuleBlock = { owner: '', chains: ['HEAD'], rules: [] }
  const x: RuleBlock = { owner: 'x', chains: ['X'], rules: [rule('HEAD', 'X'), accept('X')] }
  const y: RuleBlock = { owner: 'y', chains: ['Y'], rules: [rule('HEAD', 'Y'), accept('Y')] }

  it('does not read the rules of identical blocks again after an earlier diff', () => {
    let looks = 0
    const watched = createLazyBlock({ owner: 'w', chains: [] }, { ruleCount: 0, sharedCounts: [] }, undefined, () => {
      looks++
      return []
    })
    const states = [1, 2, 3].map((count) => {
      const changed: RuleBlock = {
        ...y,
        rules: [rule('HEAD', 'Y'), ...Array.from({ length: count }, () => accept('Y'))],
      }
      return natState([head, watched, x, changed])
    }) as [IptablesState, IptablesState, IptablesState]
    expect(diffIptables(states[0], states[1]).to).toMatch(/^[A-Z2-7]{16}$/)
    const known = looks
    const patch = diffIptables(states[1], states[2])
    expect(patch.to).not.toBe(patch.from)
    expect(patch.changes).toEqual([
      {
        kind: 'edit',
        id: 'nat/Y',
        refsRemoved: [],
        refsAdded: [],
        splices: [{ at: 2, removed: [], inserted: [accept('Y')] }],
      },
    ])
    expect(looks).toBe(known)
  })

  it('returns added and removed shared chains even if the jumps are the same', () => {
    const jumps: readonly Rule[] = [rule('OUTPUT', 'HEAD')]
    const tail: RuleBlock = { owner: '', chains: ['TAIL'], rules: [accept('TAIL')] }
    expectLeads(natState([head, x], jumps), natState([head, x, tail], jumps))
    expectLeads(natState([head, x, tail], jumps), natState([head, x], jumps))
  })

  it('returns the changes of a chain that moves to another owner', () => {
    const moved: RuleBlock = { owner: 'y', chains: ['X', 'Y'], rules: [accept('X'), accept('Y')] }
    expectLeads(natState([head, x, y]), natState([head, moved]))
  })

  it.each<[string, readonly RuleBlock[], readonly RuleBlock[]]>([
    ['swap positions', [head, x, y], [head, y, x]],
    [
      'get a chain of their own that was shared, or the reverse',
      [head, x, y],
      [{ owner: '', chains: ['HEAD', 'X'], rules: [rule('HEAD', 'X')] }, y],
    ],
    [
      'share a chain that was their own, or the reverse',
      [{ owner: '', chains: ['HEAD', 'X'], rules: [rule('HEAD', 'X')] }, y],
      [head, x, y],
    ],
    [
      'get rules in a new shared chain',
      [head, x],
      [
        { ...head, chains: ['HEAD', 'NEW'] },
        { ...x, rules: [...getBlockRules(x), accept('NEW')] },
      ],
    ],
    [
      'no longer have rules in a shared chain',
      [
        { ...head, chains: ['HEAD', 'NEW'] },
        { ...x, rules: [...getBlockRules(x), accept('NEW')] },
      ],
      [head, x],
    ],
    [
      'have their rules in shared chains before or after the rules in their own chains',
      [head, { ...x, rules: [...getBlockRules(x)].reverse() }, y],
      [head, x],
    ],
  ])('returns correct changes if owners %s', (_, before, after) => {
    expectLeads(natState(before), natState(after))
    expectLeads(natState(before, [rule('OUTPUT', 'HEAD')]), natState(after, [rule('INPUT', 'HEAD')]))
  })

  it('returns one edit for adjacent changes of a chain', () => {
    const z: RuleBlock = { owner: 'z', chains: ['Z'], rules: [rule('HEAD', 'Z')] }
    const { changes } = diffIptables(natState([head, x, y]), natState([head, z]))
    expect(changes.filter(({ kind }) => kind === 'edit')).toEqual([
      {
        kind: 'edit',
        id: 'nat/HEAD',
        refsRemoved: ['nat/X', 'nat/Y'],
        refsAdded: ['nat/Z'],
        splices: [{ at: 0, removed: [rule('HEAD', 'X'), rule('HEAD', 'Y')], inserted: [rule('HEAD', 'Z')] }],
      },
    ])
  })

  it('returns no change if a rule moves unchanged from one owner to the next', () => {
    const giving: RuleBlock = { owner: 'x', chains: [], rules: [accept('HEAD')] }
    expect(hasNoChanges(diffIptables(natState([head, giving]), natState([head, { ...giving, owner: 'y' }])))).toBe(true)
  })

  it('returns the changes of a table that only one state has', () => {
    const other: Table = { name: 'mangle', jumps: [], blocks: [{ owner: '', chains: ['M'], rules: [accept('M')] }] }
    const before = natState([head, x])
    expectLeads(before, { ...before, tables: [...before.tables, other] })
    expectLeads({ ...before, tables: [...before.tables, other] }, before)
  })

  it('ignores the policies of built-in chains', () => {
    const before = natState([head])
    const tables = before.tables.map((table) => ({
      ...table,
      policies: [{ chain: 'OUTPUT', policy: 'DROP' } as const],
    }))
    const patch = diffIptables(before, { ...before, tables })
    expect(hasNoChanges(patch)).toBe(true)
    expect(patch.from).toBe(patch.to)
  })
})

describe('diffCanonical', () => {
  const state = stateOf([servicePort({ endpoints: [endpoint()] })])

  it('returns no change if the rules are equivalent in the kernel', () => {
    const written: Rule = { chain: 'A', matches: [{ kind: 'source', address: '10.0.0.1', negated: false }] }
    const saved: Rule = { chain: 'A', matches: [{ kind: 'source', address: '10.0.0.1/32', negated: false }] }
    const block = { owner: '', chains: ['A'], rules: [] }
    const patch = diffCanonical(natState([{ ...block, rules: [written] }]), natState([{ ...block, rules: [saved] }]))
    expect(patch).toEqual({ from: patch.to, to: patch.from, changes: [] })
    expect(
      hasNoChanges(diffIptables(natState([{ ...block, rules: [written] }]), natState([{ ...block, rules: [saved] }]))),
    ).toBe(false)
  })

  it('adds only the jump that is missing', () => {
    const [filter, nat] = state.tables as [Table, Table]
    const damaged = { ...state, tables: [filter, { ...nat, jumps: nat.jumps.slice(1) }] }
    const script = toIptablesCommands(diffCanonical(damaged, state).changes, { family: 'IPv4', backend: 'nft' })
    expect(script.map(({ command }) => command.input)).toEqual([
      '*nat\n-I PREROUTING 1 -m comment --comment "kubernetes service portals" -j KUBE-SERVICES\nCOMMIT\n',
    ])
  })

  it('rewrites all kube-proxy jumps of a chain if a jump in the middle is missing', () => {
    const [filter, nat] = state.tables as [Table, Table]
    const jumps = filter.jumps.filter(({ chain, target }) => chain !== 'OUTPUT' || !leadsTo(target, 'KUBE-FIREWALL'))
    const damaged = { ...state, tables: [{ ...filter, jumps }, nat] }
    const script = toIptablesCommands(diffIptables(damaged, state).changes, { family: 'IPv4', backend: 'nft' })
    const firewall =
      '-m conntrack --ctstate NEW -m comment --comment "kubernetes load balancer firewall" -j KUBE-PROXY-FIREWALL'
    const services = '-m conntrack --ctstate NEW -m comment --comment "kubernetes service portals" -j KUBE-SERVICES'
    expect(script.map(({ command }) => command.input.split('\n'))).toEqual([
      [
        '*filter',
        `-D OUTPUT ${firewall}`,
        `-D OUTPUT ${services}`,
        `-I OUTPUT 1 ${services}`,
        `-I OUTPUT 1 ${firewall}`,
        '-I OUTPUT 1 -j KUBE-FIREWALL',
        'COMMIT',
        '',
      ],
    ])
  })
})

describe('rule counters', () => {
  it('restart only for rules that have changed', () => {
    const hosts = ['10.180.0.1', '10.180.0.3', '10.180.0.5']
    const services = (ips: readonly string[]) =>
      ['a', 'b', 'c'].map((name, index) => {
        const endpoints = (name === 'b' ? ips : hosts).map((ip) => endpoint({ ip }))
        return servicePort({ name, clusterIP: `172.30.0.${index}`, endpoints })
      })
    const before = stateOf(services(hosts))
    const after = sharing(stateOf(services(['10.180.0.1', '10.180.0.4', '10.180.0.5'])), before)
    const held = loaded(before)
    const [change] = toIptablesCommands(diffIptables(before, after).changes, { family: 'IPv4', backend: 'nft' })
    const kept = new Set([...held.values()].flatMap((chains) => [...chains.values()]).flat())
    const rules = [...restore(held, change?.command.input ?? '').values()]
      .flatMap((chains) => [...chains.values()])
      .flat()
    expect(rules).toHaveLength(kept.size)
    expect(rules.filter((each) => !kept.has(each))).toHaveLength(3)
  })
})
