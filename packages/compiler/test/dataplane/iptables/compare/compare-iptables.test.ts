import { describe, expect, it } from 'vitest'
import type { IptablesState, Rule, RuleBlock } from '../../../../src/dataplane/iptables/ast.js'
import { compareIptables } from '../../../../src/dataplane/iptables/compare/compare-iptables.js'
import type { IptablesOwnership } from '../../../../src/dataplane/iptables/compare/table-pair.js'
import { getBlockRules } from '../../../../src/dataplane/iptables/lazy-block.js'
import { readState } from '../read-rule.js'

// The ownership of another iptables user: its chains have the prefix OUR-, SHARED is a shared chain, and anna and bert
// own chains.

const ownership: IptablesOwnership = {
  isOwned: (id) => /\/OUR-/.test(id),
  isShared: (id) => id.endsWith('/SHARED'),
  isLookalike: (id) => /\/OURS/.test(id),
  attribute: (live) => ({
    ...live,
    tables: live.tables.map((table) => ({
      ...table,
      blocks: table.blocks.map((block) => ({ ...block, owner: 'seen' })),
    })),
  }),
  reasonOf: (kind, { expected, found }) => {
    const item = expected ?? found
    return item?.kind === 'chain' ? `${kind} chain, held by ${item.holder ?? 'nobody'}` : `${kind} rule`
  },
}

const ANNA = ['-A OUR-ALL -d 10.0.0.1/32 -j OUR-ANNA', '-A OUR-ANNA -s 10.1.0.0/16 -j RETURN', '-A OUR-ANNA -j ACCEPT']
const BERT = ['-A OUR-ALL -d 10.0.0.2/32 -j OUR-BERT', '-A OUR-BERT -j DROP']
const LAST = '-A OUR-ALL -j LOG'
const SHARED = '-A SHARED -s 10.2.0.0/16 -j DROP'
const HEAD = [':OUR-ALL - [0:0]', ':SHARED - [0:0]']
const JUMPS = ['-A INPUT -j SHARED', '-A INPUT -m conntrack --ctstate NEW -j OUR-ALL', '-A INPUT -j OUR-BERT']

function dump(...lines: readonly string[]): IptablesState {
  const chains = lines.filter((line) => line.startsWith(':'))
  const rules = lines.filter((line) => line.startsWith('-'))
  return readState(['*filter', ':INPUT ACCEPT [0:0]', ...chains, ...rules, 'COMMIT', ''].join('\n'))
}

const full = [...HEAD, ':OUR-ANNA - [0:0]', ':OUR-BERT - [0:0]', ...JUMPS, ...ANNA, ...BERT, LAST, SHARED]

function wanted(): IptablesState {
  const [table] = dump(...full).tables
  if (table === undefined) throw new Error('no table')
  const rules = table.blocks.flatMap(getBlockRules)
  const of = (owner: string, chains: readonly string[], lines: number[]): RuleBlock => ({
    owner,
    chains,
    rules: lines.map((line) => rules[line] as Rule),
  })
  const blocks = [
    of('', ['OUR-ALL', 'SHARED'], []),
    of('anna', ['OUR-ANNA'], [0, 1, 2]),
    of('bert', ['OUR-BERT'], [3, 4]),
    of('', [], [5, 6]),
  ]
  return { family: 'IPv4', tables: [{ ...table, blocks }] }
}

const compared = (...lines: readonly string[]) => compareIptables(wanted(), dump(...lines), ownership)

/** Formats drift items: owner, location, kind and reason. */
function findings(...lines: readonly string[]): readonly string[] {
  return compared(...lines).driftItems.map(({ owner, location, reason }) => `${owner}: ${location} ${reason}`)
}

const without = (line: string) => full.filter((each) => each !== line)
const replaced = (line: string, ...by: readonly string[]) => full.flatMap((each) => (each === line ? by : [each]))

describe('compareIptables', () => {
  it('returns no drift if the live rules contain all expected rules among foreign rules', () => {
    const nothing = { driftItems: [], pairs: [], unverified: [], others: [] }
    expect(compared(...full)).toEqual(nothing)
    expect(compared(':MINE - [0:0]', ...full, '-A MINE -j ACCEPT', '-A INPUT -j MINE')).toEqual(nothing)
    expect(compared(...replaced(SHARED, '-A SHARED -j RETURN', SHARED, '-A SHARED -j LOG'))).toEqual(nothing)
  })

  it('reports a missing rule with its owner', () => {
    expect(findings(...without(ANNA[0] as string))).toEqual(['anna: filter/OUR-ALL missing rule'])
    expect(findings(...without(ANNA[1] as string))).toEqual(['anna: filter/OUR-ANNA missing rule'])
    expect(findings(...without(LAST))).toEqual([': filter/OUR-ALL missing rule'])
    expect(findings(...without(SHARED))).toEqual([': filter/SHARED missing rule'])
  })

  it('reports an extra rule with the owner of its chain, or with the owner that its text names', () => {
    expect(findings(...full, '-A OUR-ANNA -j LOG')).toEqual(['anna: filter/OUR-ANNA extra rule'])
    expect(findings(...full, '-A OUR-ALL -j DROP')).toEqual(['seen: filter/OUR-ALL extra rule'])
    expect(findings(...full, SHARED)).toEqual(['seen: filter/SHARED extra rule'])
  })

  it('ignores the order of rules with different owners, but not the position of ownerless rules', () => {
    const [toAnna = '', toBert = ''] = [ANNA[0], BERT[0]]
    const swapped = full.map((line) => (line === toAnna ? toBert : line === toBert ? toAnna : line))
    expect(findings(...swapped)).toEqual([])
    expect(findings(...replaced(toAnna, LAST, toAnna).filter((line, at, all) => all.indexOf(line) === at))).toEqual([
      ': filter/OUR-ALL misplaced rule',
    ])
  })

  it('reports two rules as one changed rule if both use the same owned chain or match equal packets', () => {
    const other = '-A OUR-ALL -d 10.0.0.9/32 -m comment --comment x -j OUR-BERT'
    expect(compared(...replaced(BERT[0] as string, other)).driftItems).toEqual([
      {
        owner: 'bert',
        location: 'filter/OUR-ALL',
        part: {
          ...{ kind: 'rule', table: 'filter', chain: 'OUR-ALL' },
          expected: { destination: '10.0.0.2/32', jumpsTo: 'OUR-BERT' },
          found: { destination: '10.0.0.9/32', jumpsTo: 'OUR-BERT' },
        },
        kind: 'changed',
        expected: BERT[0],
        found: other,
        reason: 'changed rule',
      },
    ])
    expect(findings(...replaced(ANNA[1] as string, '-A OUR-ANNA -s 10.1.0.0/16 -j DROP'))).toEqual([
      'anna: filter/OUR-ANNA changed rule',
    ])
    // Many rules jump to RETURN. That alone does not make a rule with another comment similar.
    expect(
      findings(...replaced(ANNA[1] as string, '-A OUR-ANNA -s 10.9.0.0/16 -m comment --comment x -j RETURN')),
    ).toEqual(['anna: filter/OUR-ANNA missing rule', 'anna: filter/OUR-ANNA extra rule'])
  })

  it('ignores the positions of jumps to chains shared with the kubelet, but not of other jumps', () => {
    const [shared = '', all = '', bert = ''] = JUMPS
    const jumps = (...lines: readonly string[]) => full.filter((line) => !JUMPS.includes(line)).concat(lines)
    expect(findings(...jumps(all, bert, shared))).toEqual([])
    expect(findings(...jumps(shared, bert, all))).toEqual([': filter/INPUT misplaced rule'])
    expect(findings(...jumps(shared, all))).toEqual([': filter/INPUT missing rule'])
  })

  it('reports missing, extra and unknown chains, and extra chains that other programs use', () => {
    expect(findings(...full.filter((line) => !line.includes('OUR-BERT')))).toEqual([
      'bert: filter/OUR-BERT missing chain, held by nobody',
      'bert: filter/OUR-ALL missing rule',
      ': filter/INPUT missing rule',
    ])
    const old = [':OUR-OLD - [0:0]', ':OUR-HELD - [0:0]', ':MINE - [0:0]', ':OURS - [0:0]', '-A MINE -g OUR-HELD']
    const { driftItems: found, pairs, others } = compared(...old, ...full)
    expect(found.map(({ owner, location, reason }) => `${owner}: ${location} ${reason}`)).toEqual([
      'seen: filter/OUR-OLD extra chain, held by nobody',
      'seen: filter/OUR-HELD extra chain, held by MINE',
    ])
    expect(pairs.map(({ before, after }) => [before?.id, after?.value])).toEqual([
      ['filter/OUR-OLD', undefined],
      ['filter/OUR-HELD', []],
    ])
    expect(others).toEqual(['filter/OURS'])
  })

  it('reports a table as unverified if the dump does not contain the table', () => {
    expect(compareIptables(wanted(), { family: 'IPv4', tables: [] }, ownership)).toEqual({
      driftItems: [],
      pairs: [],
      unverified: [{ part: 'filter', reason: 'the dump has no table filter' }],
      others: [],
    })
  })
})
