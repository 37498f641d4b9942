import { describe, expect, it } from 'vitest'
import { canonicalState } from '../../../src/dataplane/iptables/canonical-state.js'
import { sameState } from '../../support/same-state.js'
import { readState } from './read-rule.js'
import { RESTORE_TEXT, SAVED_FILTER, SAVED_NAT, WORKED_EXAMPLE } from './worked-example.js'

const NAT = '*nat\n:A - [0:0]\n:B - [0:0]\n-A A -s 10.0.0.1 -j B\n-A A -j ACCEPT\n-A B -j RETURN\nCOMMIT\n'

describe('sameState', () => {
  it('takes a dump for the state it was made of', () => {
    expect(sameState(readState(SAVED_NAT + SAVED_FILTER), WORKED_EXAMPLE)).toBe(true)
  })

  it.each([
    ['chains in another order', '*nat\n:B -\n:A -\n-A B -j RETURN\n-A A -s 10.0.0.1/32 -j B\n-A A -j ACCEPT\nCOMMIT\n'],
    ['an empty table', `${NAT}*filter\nCOMMIT\n`],
    ['a policy that is the default', `*nat\n:INPUT ACCEPT [0:0]\n${NAT.slice(5)}`],
  ])('does not care for %s', (_name, text) => {
    expect(sameState(readState(NAT), readState(text))).toBe(true)
  })

  it.each([
    ['rules of one chain in another order', NAT.replace(/(-A A -s.*\n)(.*\n)/, '$2$1')],
    ['another address', NAT.replace('10.0.0.1', '10.0.0.2')],
    ['a rule less', NAT.replace('-A B -j RETURN\n', '')],
    ['a chain more', NAT.replace(':B', ':C - [0:0]\n:B')],
    ['another chain', NAT.replaceAll('B', 'C')],
    ['another policy', NAT.replace(':A', ':INPUT DROP [0:0]\n:A')],
    ['another table', NAT.replace('nat', 'raw')],
    ['a table more', `${NAT}*filter\n:A -\nCOMMIT\n`],
  ])('tells %s', (_name, text) => {
    expect(text).not.toBe(NAT)
    expect(sameState(readState(NAT), readState(text))).toBe(false)
    expect(sameState(readState(text), readState(NAT))).toBe(false)
  })

  it('tells policies and families apart', () => {
    const drop = '*filter\n:INPUT DROP\nCOMMIT\n'
    expect(sameState(readState(drop), readState(drop.replace('INPUT', 'OUTPUT')))).toBe(false)
    expect(sameState(readState('', 'IPv4'), readState('', 'IPv6'))).toBe(false)
  })
})

describe('canonicalState', () => {
  it('has tables, policies and chains in an order of its own', () => {
    const state = readState('*nat\n:B -\n:A -\nCOMMIT\n*raw\n:PREROUTING DROP\n:OUTPUT DROP\nCOMMIT\n*mangle\nCOMMIT\n')
    const { tables } = canonicalState(state)
    expect([...tables.keys()]).toEqual(['raw', 'nat'])
    expect([...(tables.get('raw')?.policies ?? [])]).toEqual([
      ['OUTPUT', 'DROP'],
      ['PREROUTING', 'DROP'],
    ])
    expect([...(tables.get('nat')?.chains.keys() ?? [])]).toEqual([
      'A',
      'B',
      'INPUT',
      'OUTPUT',
      'POSTROUTING',
      'PREROUTING',
    ])
  })

  it('has the rules of the kernel', () => {
    const rules = canonicalState(readState(RESTORE_TEXT)).tables.get('nat')?.chains.get('KUBE-MARK-MASQ')
    expect(rules).toEqual([
      {
        chain: 'KUBE-MARK-MASQ',
        matches: [],
        verdict: { kind: 'mark', operation: 'set-xmark', value: 0x4000, mask: 0x4000 },
      },
    ])
  })
})
