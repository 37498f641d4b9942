import { describe, expect, it } from 'vitest'
import type { Rule } from '../../../../src/dataplane/iptables/ast.js'
import { formatJumpLines, formatSpliceLines } from '../../../../src/dataplane/iptables/script/edit-chain.js'

function rule(source: string): Rule {
  return { chain: 'C', matches: [{ kind: 'source', address: source, negated: false }], target: { kind: 'accept' } }
}

const [a, b, c, d] = ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4'].map(rule) as [Rule, Rule, Rule, Rule]

describe('formatSpliceLines', () => {
  it('replaces rules first, and then inserts additional rules', () => {
    expect(formatSpliceLines('C', [{ at: 1, removed: [a], inserted: [b, c, d] }], 'IPv4')).toEqual([
      '-R C 2 -s 10.0.0.2 -j ACCEPT',
      '-I C 3 -s 10.0.0.3 -j ACCEPT',
      '-I C 4 -s 10.0.0.4 -j ACCEPT',
    ])
  })

  it('deletes surplus rules from the end, and then replaces the remaining rules', () => {
    expect(formatSpliceLines('C', [{ at: 4, removed: [a, b, c], inserted: [d] }], 'IPv4')).toEqual([
      '-D C 7',
      '-D C 6',
      '-R C 5 -s 10.0.0.4 -j ACCEPT',
    ])
  })

  it('formats splices from the end to the start', () => {
    const splices = [
      { at: 0, removed: [a], inserted: [] },
      { at: 2, removed: [], inserted: [b] },
    ]
    expect(formatSpliceLines('C', splices, 'IPv4')).toEqual(['-I C 3 -s 10.0.0.2 -j ACCEPT', '-D C 1'])
  })
})

describe('formatJumpLines', () => {
  it.each<[string, readonly Rule[], readonly Rule[], readonly string[]]>([
    ['inserts new jumps at the top in their order', [], [a, b], ['-I C 1 -s 10.0.0.2', '-I C 1 -s 10.0.0.1']],
    [
      'appends jumps at the end in their order',
      [],
      [{ ...a, appended: true }, b, { ...c, appended: true }],
      ['-I C 1 -s 10.0.0.2', '-A C -s 10.0.0.1', '-A C -s 10.0.0.3'],
    ],
    ['keeps the position of a jump that should now be appended', [b, a], [b, { ...a, appended: true }], []],
    ['deletes a jump that was appended', [b, { ...a, appended: true }], [b], ['-D C -s 10.0.0.1']],
    ['deletes jumps that are no longer expected', [a, b, c], [a, c], ['-D C -s 10.0.0.2']],
    ['deletes all jumps', [a, b], [], ['-D C -s 10.0.0.1', '-D C -s 10.0.0.2']],
    ['returns no lines if nothing changes', [a, b], [a, b], []],
    [
      'rewrites all jumps if a jump is added',
      [a],
      [b, a],
      ['-D C -s 10.0.0.1', '-I C 1 -s 10.0.0.1', '-I C 1 -s 10.0.0.2'],
    ],
    [
      'rewrites all jumps if their order changes',
      [a, b],
      [b, a],
      ['-D C -s 10.0.0.1', '-D C -s 10.0.0.2', '-I C 1 -s 10.0.0.1', '-I C 1 -s 10.0.0.2'],
    ],
    [
      'rewrites all jumps if one of two equal jumps is removed',
      [a, b, a],
      [a, b],
      ['-D C -s 10.0.0.1', '-D C -s 10.0.0.2', '-D C -s 10.0.0.1', '-I C 1 -s 10.0.0.2', '-I C 1 -s 10.0.0.1'],
    ],
  ])('%s', (_, before, after, lines) => {
    expect(formatJumpLines('C', before, after, 'IPv4')).toEqual(lines.map((line) => `${line} -j ACCEPT`))
  })
})
