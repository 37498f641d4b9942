import { describe, expect, it } from 'vitest'
import { getBlockRules } from '../../../../../compiler/src/dataplane/iptables/lazy-block.js'
import { printRule } from '../../../../../compiler/src/dataplane/iptables/print/print.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { type ChainFragment, mergeTable } from '../../../../src/dataplane/iptables/pasted/merge-table.js'
import type { PasteNote } from '../../../../src/dataplane/netfilter/pasted.js'
import { line } from './blocks-of.js'

/** Builds a chain with the rules of these words. */
function chain(name: string, rules: readonly string[], fields: Partial<ChainFragment> = {}): ChainFragment {
  return {
    name,
    rules: rules.map((words) => ({ ...readRule(words), chain: name })),
    isWhole: true,
    isPartial: false,
    at: line('', { line: 7 }),
    ...fields,
  }
}

function merge(...given: readonly (readonly ChainFragment[])[]) {
  const notes: PasteNote[] = []
  const tables = given.map((chains) => ({ family: 'IPv4', name: 'nat', chains, isWhole: true, isOfAll: true }) as const)
  const merged = mergeTable('nat', tables, notes, 'IPv4')
  const rules = merged.table.blocks.flatMap(getBlockRules).map((rule) => printRule(rule, 'restore', 'IPv4').slice(3))
  return { ...merged, rules, notes: notes.map(({ code, line: at, message }) => `${at} ${code} ${message}`) }
}

it('mergeTable returns custom chains in input order and built-in chains in hook order', () => {
  const { table, completeChains, truncatedChains } = merge(
    [chain('B', ['-j A']), chain('OUTPUT', ['-j A'], { policy: 'DROP' }), chain('A', [], { isWhole: false })],
    [chain('PREROUTING', ['-j B'], { policy: 'ACCEPT', isPartial: true }), chain('C', ['-j A'])],
  )
  expect(table).toEqual({
    name: 'nat',
    policies: [{ chain: 'OUTPUT', policy: 'DROP' }],
    jumps: ['PREROUTING', 'OUTPUT'].map((name) => chain(name, [name === 'OUTPUT' ? '-j A' : '-j B']).rules[0]),
    blocks: [
      { owner: '', chains: ['B', 'A', 'C'], rules: [...chain('B', ['-j A']).rules, ...chain('C', ['-j A']).rules] },
    ],
  })
  expect([completeChains, truncatedChains]).toEqual([
    ['nat/B', 'nat/OUTPUT', 'nat/PREROUTING', 'nat/C'],
    ['nat/PREROUTING'],
  ])
  expect(merge([chain('OUTPUT', [])]).table).toEqual({ name: 'nat', jumps: [], blocks: [] })
})

describe('a chain that occurs twice', () => {
  const note = '7 duplicateChain chain nat/A is given twice with different rules: the first one is used'
  const part = { isWhole: false }
  const shown = { isPartial: true }

  it.each<[string, ChainFragment, ChainFragment, readonly string[], readonly string[], boolean]>([
    [
      'is merged without a note if its rules are equal',
      chain('A', ['-j B']),
      chain('A', ['-j B']),
      ['A -j B'],
      [],
      false,
    ],
    [
      'is complete if only the first copy is truncated and the rules are equal',
      chain('A', ['-j B'], shown),
      chain('A', ['-j B']),
      ['A -j B'],
      [],
      false,
    ],
    [
      'is complete if only the second copy is truncated and the rules are equal',
      chain('A', ['-j B']),
      chain('A', ['-j B'], shown),
      ['A -j B'],
      [],
      false,
    ],
    [
      'has the rules of the first copy, with a note, if the rules differ',
      chain('A', ['-j B']),
      chain('A', ['-j C']),
      ['A -j B'],
      [note],
      false,
    ],
    [
      'has the rules of the first copy, with a note, if the second has additional rules',
      chain('A', ['-j B']),
      chain('A', ['-j B', '-j C']),
      ['A -j B'],
      [note],
      false,
    ],
    [
      'has the rules of the second copy if the first is truncated',
      chain('A', ['-j B'], shown),
      chain('A', ['-i a -j B']),
      ['A -i a -j B'],
      [],
      false,
    ],
    [
      'has the rules of the first copy if the second is truncated',
      chain('A', ['-i a -j B']),
      chain('A', ['-j B'], shown),
      ['A -i a -j B'],
      [],
      false,
    ],
    [
      'has the rules of the truncated first copy, with a note, if the second has more rules',
      chain('A', ['-j B'], shown),
      chain('A', ['-j B', '-j C']),
      ['A -j B'],
      [note],
      true,
    ],
    [
      'has the rules of the first copy, with a note, if the truncated second copy has fewer rules',
      chain('A', ['-j B', '-j C']),
      chain('A', ['-j B'], shown),
      ['A -j B', 'A -j C'],
      [note],
      false,
    ],
    [
      'has the rules of the first copy if both are truncated',
      chain('A', ['-j B'], shown),
      chain('A', ['-j C'], shown),
      ['A -j B'],
      [],
      true,
    ],
    [
      'has the rules of the complete first copy if the second is incomplete',
      chain('A', ['-j B']),
      chain('A', ['-j C'], part),
      ['A -j B'],
      [],
      false,
    ],
    [
      'has the rules of the complete second copy if the first is incomplete',
      chain('A', ['-j B'], part),
      chain('A', ['-j C']),
      ['A -j C'],
      [],
      false,
    ],
    [
      'has the rules of both copies if both are incomplete',
      chain('A', ['-j B', '-j D'], part),
      chain('A', ['-j C', '-j D'], part),
      ['A -j B', 'A -j C', 'A -j D'],
      [],
      false,
    ],
    [
      'is truncated if the second of two incomplete copies is truncated',
      chain('A', ['-j B'], part),
      chain('A', [], { ...part, ...shown }),
      ['A -j B'],
      [],
      true,
    ],
    [
      'is truncated if the first of two incomplete copies is truncated',
      chain('A', ['-j B'], { ...part, ...shown }),
      chain('A', [], part),
      ['A -j B'],
      [],
      true,
    ],
  ])('%s', (_, first, other, rules, notes, isPartial) => {
    const merged = merge([first], [other])
    expect([merged.rules, merged.notes, merged.truncatedChains]).toEqual([rules, notes, isPartial ? ['nat/A'] : []])
    expect(merged.completeChains).toEqual(first.isWhole || other.isWhole ? ['nat/A'] : [])
  })

  it('keeps its first policy', () => {
    const of = (...policies: readonly ChainFragment['policy'][]) =>
      merge(...policies.map((policy) => [chain('OUTPUT', [], { policy })])).table.policies
    expect([of('DROP', 'ACCEPT'), of('ACCEPT', 'DROP'), of(undefined, 'DROP')]).toEqual([
      [{ chain: 'OUTPUT', policy: 'DROP' }],
      undefined,
      [{ chain: 'OUTPUT', policy: 'DROP' }],
    ])
  })
})
