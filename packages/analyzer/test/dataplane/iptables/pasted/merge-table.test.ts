import { describe, expect, it } from 'vitest'
import { getBlockRules } from '../../../../../compiler/src/dataplane/iptables/lazy-block.js'
import { printRule } from '../../../../../compiler/src/dataplane/iptables/print/print.js'
import { readRule } from '../../../../../compiler/test/dataplane/iptables/read-rule.js'
import { mergeTable } from '../../../../src/dataplane/iptables/pasted/merge-table.js'
import type { ChainFragment } from '../../../../src/dataplane/iptables/pasted/table-fragment.js'
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

it('a merged table has its own chains in input order, and built-in chains in hook order', () => {
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

describe('a chain from several blocks', () => {
  const note = '7 duplicateChain chain nat/A is given twice with different rules: the first one is used'
  const part = { isWhole: false }
  const shown = { isPartial: true }

  it.each<[string, ChainFragment, ChainFragment, readonly string[], readonly string[], boolean]>([
    ['alike', chain('A', ['-j B']), chain('A', ['-j B']), ['A -j B'], [], false],
    ['equal, once incomplete', chain('A', ['-j B'], shown), chain('A', ['-j B']), ['A -j B'], [], false],
    ['equal, then incomplete', chain('A', ['-j B']), chain('A', ['-j B'], shown), ['A -j B'], [], false],
    ['with different rules', chain('A', ['-j B']), chain('A', ['-j C']), ['A -j B'], [note], false],
    ['with additional rules', chain('A', ['-j B']), chain('A', ['-j B', '-j C']), ['A -j B'], [note], false],
    ['incomplete, then complete', chain('A', ['-j B'], shown), chain('A', ['-i a -j B']), ['A -i a -j B'], [], false],
    ['complete, then incomplete', chain('A', ['-i a -j B']), chain('A', ['-j B'], shown), ['A -i a -j B'], [], false],
    [
      'incomplete, then with more rules',
      chain('A', ['-j B'], shown),
      chain('A', ['-j B', '-j C']),
      ['A -j B'],
      [note],
      true,
    ],
    [
      'with more rules, then incomplete',
      chain('A', ['-j B', '-j C']),
      chain('A', ['-j B'], shown),
      ['A -j B', 'A -j C'],
      [note],
      false,
    ],
    ['incomplete twice', chain('A', ['-j B'], shown), chain('A', ['-j C'], shown), ['A -j B'], [], true],
    ['as a whole, then not', chain('A', ['-j B']), chain('A', ['-j C'], part), ['A -j B'], [], false],
    ['not as a whole, then as a whole', chain('A', ['-j B'], part), chain('A', ['-j C']), ['A -j C'], [], false],
    [
      'never as a whole',
      chain('A', ['-j B', '-j D'], part),
      chain('A', ['-j C', '-j D'], part),
      ['A -j B', 'A -j C', 'A -j D'],
      [],
      false,
    ],
    [
      'never as a whole, incomplete',
      chain('A', ['-j B'], part),
      chain('A', [], { ...part, ...shown }),
      ['A -j B'],
      [],
      true,
    ],
    [
      'incomplete, never as a whole',
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

  it('has the first given policy', () => {
    const of = (...policies: readonly ChainFragment['policy'][]) =>
      merge(...policies.map((policy) => [chain('OUTPUT', [], { policy })])).table.policies
    expect([of('DROP', 'ACCEPT'), of('ACCEPT', 'DROP'), of(undefined, 'DROP')]).toEqual([
      [{ chain: 'OUTPUT', policy: 'DROP' }],
      undefined,
      [{ chain: 'OUTPUT', policy: 'DROP' }],
    ])
  })
})
