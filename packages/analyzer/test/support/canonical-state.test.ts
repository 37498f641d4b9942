import { describe, expect, it } from 'vitest'
import type { IptablesState, Rule } from '../../../compiler/src/dataplane/iptables/ast.js'
import { createLazyBlock, getBlockRules } from '../../../compiler/src/dataplane/iptables/lazy-block.js'
import { readState } from '../../../compiler/test/dataplane/iptables/read-rule.js'
import {
  RESTORE_TEXT,
  SAVED_FILTER,
  SAVED_NAT,
  WORKED_EXAMPLE,
} from '../../../compiler/test/dataplane/iptables/worked-example.js'
import { sameState } from '../../../compiler/test/support/same-state.js'
import { canonicalizeState } from './canonical-state.js'

const NAT = '*nat\n:A - [0:0]\n:B - [0:0]\n-A A -s 10.0.0.1 -j B\n-A A -j ACCEPT\n-A B -j RETURN\nCOMMIT\n'

describe('sameState', () => {
  it('returns true for a state and its dump', () => {
    expect(sameState(readState(SAVED_NAT + SAVED_FILTER), WORKED_EXAMPLE)).toBe(true)
  })

  it.each([
    ['chains in another order', '*nat\n:B -\n:A -\n-A B -j RETURN\n-A A -s 10.0.0.1/32 -j B\n-A A -j ACCEPT\nCOMMIT\n'],
    ['an empty table', `${NAT}*filter\nCOMMIT\n`],
    ['a policy that equals the default', `*nat\n:INPUT ACCEPT [0:0]\n${NAT.slice(5)}`],
  ])('ignores %s', (_name, text) => {
    expect(sameState(readState(NAT), readState(text))).toBe(true)
  })

  it.each([
    ['rules of one chain in another order', NAT.replace(/(-A A -s.*\n)(.*\n)/, '$2$1')],
    ['another address', NAT.replace('10.0.0.1', '10.0.0.2')],
    ['a missing rule', NAT.replace('-A B -j RETURN\n', '')],
    ['an additional chain', NAT.replace(':B', ':C - [0:0]\n:B')],
    ['another chain', NAT.replaceAll('B', 'C')],
    ['another policy', NAT.replace(':A', ':INPUT DROP [0:0]\n:A')],
    ['another table', NAT.replace('nat', 'raw')],
    ['an additional table', `${NAT}*filter\n:A -\nCOMMIT\n`],
  ])('distinguishes %s', (_name, text) => {
    expect(text).not.toBe(NAT)
    expect(sameState(readState(NAT), readState(text))).toBe(false)
    expect(sameState(readState(text), readState(NAT))).toBe(false)
  })

  it('distinguishes policies and families', () => {
    const drop = '*filter\n:INPUT DROP\nCOMMIT\n'
    expect(sameState(readState(drop), readState(drop.replace('INPUT', 'OUTPUT')))).toBe(false)
    expect(sameState(readState('', 'IPv4'), readState('', 'IPv6'))).toBe(false)
  })
})

describe('canonicalizeState', () => {
  it('sorts tables, policies and chains', () => {
    const state = readState('*nat\n:B -\n:A -\nCOMMIT\n*raw\n:PREROUTING DROP\n:OUTPUT DROP\nCOMMIT\n*mangle\nCOMMIT\n')
    expect(canonicalizeState(state)).toStrictEqual<IptablesState>({
      family: 'IPv4',
      tables: [
        {
          name: 'raw',
          policies: [
            { chain: 'OUTPUT', policy: 'DROP' },
            { chain: 'PREROUTING', policy: 'DROP' },
          ],
          jumps: [],
          blocks: [],
        },
        { name: 'nat', jumps: [], blocks: [{ owner: '', chains: ['A', 'B'], rules: [] }] },
      ],
    })
  })

  it('returns one ownerless block with rules by chain and built-in rules in hook order', () => {
    const rule = (chain: string, to: string): Rule => ({ chain, matches: [], target: { kind: 'jump', chain: to } })
    const jumps = [rule('POSTROUTING', 'A'), rule('PREROUTING', 'B'), rule('POSTROUTING', 'B')]
    const blocks = [
      { owner: '', chains: ['B'], rules: [] },
      createLazyBlock(
        { owner: 'x', chains: ['A'] },
        { ruleCount: 2, sharedCounts: [{ chain: 'B', count: 1 }] },
        'B',
        (to) => [rule(to, 'C'), rule('A', to)],
      ),
      { owner: 'y', chains: ['C'], rules: [rule('B', 'C')] },
    ]
    expect(
      canonicalizeState({ family: 'IPv6', tables: [{ name: 'nat', jumps, blocks }] }),
    ).toStrictEqual<IptablesState>({
      family: 'IPv6',
      tables: [
        {
          name: 'nat',
          jumps: [rule('PREROUTING', 'B'), rule('POSTROUTING', 'A'), rule('POSTROUTING', 'B')],
          blocks: [{ owner: '', chains: ['A', 'B', 'C'], rules: [rule('A', 'B'), rule('B', 'C'), rule('B', 'C')] }],
        },
      ],
    })
  })

  it('returns the rules in kernel form', () => {
    const nat = canonicalizeState(readState(RESTORE_TEXT)).tables.find(({ name }) => name === 'nat')
    const rules = nat?.blocks.flatMap(getBlockRules).filter(({ chain }) => chain === 'KUBE-MARK-MASQ')
    expect(rules).toEqual([
      {
        chain: 'KUBE-MARK-MASQ',
        matches: [],
        target: { kind: 'mark', operation: 'set-xmark', value: 0x4000, mask: 0x4000 },
      },
    ])
  })
})
