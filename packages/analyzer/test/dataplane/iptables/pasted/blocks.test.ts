import { describe, expect, it } from 'vitest'
import { findPastedBlocks } from '../../../../src/dataplane/iptables/pasted/blocks.js'
import type { PastedBlock } from '../../../../src/dataplane/iptables/pasted/pasted-block.js'
import type { PastedCommand, PastedLine } from '../../../../src/dataplane/netfilter/pasted.js'
import { line } from './blocks-of.js'

const SAVE: PastedCommand = { tool: 'iptables-save', args: [] }
const RULES: PastedCommand = { tool: 'iptables', args: ['-t', 'nat', '-S'] }
const LIST: PastedCommand = { tool: 'iptables', args: ['-t', 'nat', '-L'] }

/**
 * Formats a block as `save nat: A B= | A B | closed gap`: kind, table, chains (`=` with a policy), the chain of each
 * rule, and flags.
 */
function summaryOf({ kind, table, command, chains, rules, isClosed, hasGap, incompleteChains }: PastedBlock): string {
  const names = chains.map(({ name, policy, afterGap }) => name + (policy ? '=' : '') + (afterGap ? '?' : ''))
  const of = rules.map(({ chain, afterGap }) => chain + (afterGap ? '?' : ''))
  const flags = [
    ...(command ? ['asked'] : []),
    ...(isClosed ? ['closed'] : []),
    ...(hasGap ? ['gap'] : []),
    ...[...incompleteChains].map((chain) => `torn ${chain}`),
  ]
  return `${kind} ${table ?? '-'}: ${names.join(' ')} | ${of.join(' ')} | ${flags.join(', ')}`
    .replace(/ +/g, ' ')
    .trim()
}

/** Finds blocks in lines with separator `;`: an empty line is blank, `...` is a gap, `--` is an end. */
function find(text: string, command?: PastedCommand) {
  const kinds: Readonly<Record<string, PastedLine['kind']>> = { '': 'blank', '...': 'gap', '--': 'end' }
  const lines = text.split(';').map((each) => line(each, { kind: kinds[each] ?? 'line', command }))
  const { blocks, problems, hasGapOutside } = findPastedBlocks(lines, () => undefined)
  return { blocks: blocks.map(summaryOf), codes: problems.map(({ code }) => code), hasGapOutside, found: blocks }
}

describe('blocks of an excerpt', () => {
  it.each<[string, PastedCommand | undefined, readonly string[]]>([
    ['*nat;:A - [0:0];-A A -j B;COMMIT', SAVE, ['save nat: A | A | asked, closed']],
    ['*nat;:A - [0:0];-A A -j B', undefined, ['save nat: A | A |']],
    ['*nat;:A - [0:0];-A A -j B;--', undefined, ['save nat: A | A |']],
    ['*nat;:A - [0:0];;-A A -j B;COMMIT', undefined, ['save nat: A | A | closed']],
    ['*nat;:INPUT DROP [0:0];:OUTPUT ACCEPT;COMMIT', undefined, ['save nat: INPUT= OUTPUT= | | closed']],
    ['*other;:A - [0:0];COMMIT', undefined, ['save -: A | | closed']],
    ['*nat;:A - [0:0];*filter;:A - [0:0];COMMIT', undefined, ['save nat: A | |', 'save filter: A | | closed']],
    ['*nat;:A - [0:0];:A - [0:0];COMMIT', undefined, ['save nat: A | | closed']],
    ['*nat;COMMIT # done', undefined, ['save nat: | | closed']],
    ['-N A;-P INPUT DROP;-A A -j B;--', RULES, ['rules nat: A INPUT= | A | asked, closed']],
    ['-P INPUT REJECT;--', RULES, ['rules nat: INPUT | | asked, closed']],
    ['-A A -j B;-A C -j D', undefined, ['rules -: | A C |']],
    ['-A A -j B;--;-A C -j D', undefined, ['rules -: | A | closed', 'rules -: | C |']],
    ['-A A -j B;;-A C -j D', undefined, ['rules -: | A C |']],
  ])('are found in %j', (text, command, blocks) => {
    const found = find(text, command)
    expect([found.blocks, found.codes]).toEqual([blocks, []])
  })

  it.each<[string, PastedCommand | undefined, readonly string[]]>([
    ['*nat;:A - [0:0];...;:B - [0:0];-A B -j C;COMMIT', undefined, ['save nat: A B? | B? | closed, gap, torn B']],
    ['*nat;:A -;-A A -j B;...;-A C -j B;COMMIT', undefined, ['save nat: A | A C? | closed, gap, torn A, torn C']],
    ['*nat;:A -;-A A -j B;...;-A A -j C;COMMIT', undefined, ['save nat: A | A A? | closed, gap, torn A']],
    [
      '*nat;:A -;:B -;-A B -j C;...;-A A -j C;COMMIT',
      undefined,
      ['save nat: A B | B | gap, torn B', 'rules -: | A | closed'],
    ],
    [
      '*nat;:A -;:B -;:C -;...;-A B -j D;-A C -j D;-A B -j E;COMMIT',
      undefined,
      ['save nat: A B C | B? C? | gap, torn B', 'rules -: | B | closed'],
    ],
    ['*nat;:A -;:B -;-A B -j C;-A A -j C;COMMIT', undefined, ['save nat: A B | B A | closed']],
    ['*nat;:A -;-A A -j C;...;:B -;COMMIT', undefined, ['save nat: A | A | gap, torn A', 'rules -: B | | closed']],
    ['*nat;:A -;-A A -j C;:B -;COMMIT', undefined, ['save nat: A B | A | closed']],
    ['*nat;:A -;-A A -j C;-A KUBE...;COMMIT', undefined, ['save nat: A | A | closed, gap, torn A']],
  ])('are incomplete at a gap, or end at the gap: %s', (text, command, blocks) => {
    expect(find(text, command).blocks).toEqual(blocks)
  })

  it.each<[string, PastedCommand | undefined, readonly string[]]>([
    ['-N A;-N B;-A B -j C;-A A -j C', RULES, ['rules nat: A B | B | asked, closed', 'rules -: | A |']],
    ['-N A;-N B;-A A -j C;-A B -j C;-A A -j D', RULES, ['rules nat: A B | A B | asked, closed', 'rules -: | A |']],
    ['-N A;-A A -j C;-A D -j C', RULES, ['rules nat: A | A | asked, closed', 'rules -: | D |']],
    ['-N A;-A A -j C;-A D -j C', { ...RULES, filter: 'search' }, ['rules nat: A | A D | asked,']],
    ['-A A -j C;-A D -j C', RULES, ['rules nat: | A D | asked']],
    ['-A A -j C;-A D -j C;-A A -j E', RULES, ['rules nat: | A D | asked, closed', 'rules -: | A |']],
    ['-A A -j C;-A D -j C;-A A -j E', undefined, ['rules -: | A D A |']],
    ['-A A -j C;-A D -j C;-A A -j C', undefined, ['rules -: | A D | closed', 'rules -: | A |']],
    ['-A A -j C;-A A -j C', undefined, ['rules -: | A A |']],
    ['-N A;-A A -j C;-A D -j C;-A A -j E', undefined, ['rules -: A | A D | closed', 'rules -: | A |']],
    ['-A A -j C;:B - [0:0]', undefined, ['rules -: | A | closed', 'rules -: B | |']],
    ['-N A;:B - [0:0]', RULES, ['rules nat: A | | asked, closed', 'rules -: B | |']],
    ['-N A;:B - [0:0]', undefined, ['rules -: A B | |']],
    [':B - [0:0];-A B -j C', RULES, ['rules -: B | B |']],
    [':B - [0:0];-A B -j C', LIST, ['rules -: B | B |']],
    [':B - [0:0];-A B -j C', SAVE, ['rules -: B | B | asked']],
    ['-A B -j C', LIST, ['rules -: | B |']],
  ])('end where the output of another command starts: %s', (text, command, blocks) => {
    expect(find(text, command).blocks).toEqual(blocks.map((each) => each.replace(/,$/, '')))
  })

  it('do not include a gap outside of blocks', () => {
    expect([find('...').hasGapOutside, find('*nat;...').hasGapOutside]).toEqual([true, false])
    expect(find('-A A -j B;--;...').hasGapOutside).toBe(true)
  })
})

describe('a listing in an excerpt', () => {
  const HEAD = 'Chain A (1 references);target prot opt source destination'
  const ROW = 'B all -- 10.0.0.1 0.0.0.0/0'

  it.each<[string, PastedCommand | undefined, readonly string[]]>([
    [`${HEAD};${ROW};`, LIST, ['listing nat: A | A | asked, closed']],
    [`${HEAD};${ROW}`, LIST, ['listing nat: A | A | asked']],
    [`${HEAD};${ROW};--`, undefined, ['listing -: A | A | closed']],
    [`${HEAD};${ROW};Chain C (policy DROP)`, LIST, ['listing nat: A | A | asked, closed', 'listing nat: C= | | asked']],
    [`${HEAD};;${HEAD};`, LIST, ['listing nat: A | | asked, closed', 'listing nat: A | | asked, closed']],
    [`${HEAD};${ROW};...;${ROW};`, LIST, ['listing nat: A | A A | asked, closed, gap, torn A']],
    [`${HEAD};${ROW};-A C -j D`, LIST, ['listing nat: A | A | asked, closed', 'rules -: | C |']],
    [`${HEAD};${ROW};-A C -j D`, undefined, ['listing -: A | A | closed', 'rules -: | C |']],
    [`${HEAD};no row;${ROW};`, LIST, ['listing nat: A | A | asked, closed, torn A']],
  ])('is a block in %j', (text, command, blocks) => {
    expect(find(text, command).blocks).toEqual(blocks)
  })

  it('has the columns of its heading, and is incomplete if the interface columns are missing', () => {
    const [brief, full] = [
      find(`${HEAD};${ROW}`, LIST).found[0],
      find(
        'Chain A (1 references);num pkts bytes target prot opt in out source destination;1 2 3 B all -- a * x.y 10.0.0.1',
      ).found[0],
    ]
    expect([brief?.columns, brief?.hasHeading, brief?.isPartial, brief?.family]).toEqual([
      { numbers: false, counters: false },
      true,
      true,
      'IPv4',
    ])
    expect([full?.columns, full?.isPartial, full?.rules[0]?.words.join(' ')]).toEqual([
      { numbers: true, counters: true },
      false,
      '-s x.y -d 10.0.0.1 -i a -j B',
    ])
    expect(find('Chain A (1 references)', LIST).found[0]?.hasHeading).toBe(false)
  })

  it('does not start at a column heading alone', () => {
    expect(find('target prot opt source destination').blocks).toEqual([])
    expect(find('*nat;target prot opt source destination;COMMIT').found[0]?.hasHeading).toBe(false)
  })
})

describe('continuation lines', () => {
  it.each<[string, string, string]>([
    ['the comment of a rule', '-A A -m comment --comment "a;b" -j C', '-m comment --comment "a b" -j C'],
    ['the target of a rule', '-A A -d 10.0.0.1;-j C', '-d 10.0.0.1 -j C'],
    [
      'the last match of a row',
      'Chain A (1 references);B all -- 10.0.0.1 0.0.0.0/0;tcp dpt:80',
      '-s 10.0.0.1 -m tcp --dport 80 -j B',
    ],
    [
      'two parts of a row',
      'Chain A (1 references);B all -- 10.0.0.1 0.0.0.0/0;/* a */;tcp dpt:80',
      '-s 10.0.0.1 -m comment --comment a -m tcp --dport 80 -j B',
    ],
  ])('may contain %s', (_, text, words) => {
    const { found, codes } = find(text)
    expect([found[0]?.rules.map((rule) => rule.words.join(' ')), codes]).toEqual([[words], []])
  })

  it.each([
    '-A A -m comment --comment "a -N b" -j C',
    '-A A -m comment --comment "a -P b" -j C',
    '-A A -m comment --comment "x COMMIT y" -j C',
    '-A A -m comment --comment "a ... b" -j C',
    '-A A -m comment --comment "[1:2] b" -j C',
    '-A A -m comment --comment a.. -j C',
    '-A A -m comment --comment ..a -j C',
    '-I A -m comment --comment 3 -j C',
    '-A A 3 -j C',
    '-I A 3x -j C',
    '-I A x3 -j C',
    '-A A -m comment --comment "Chain A (1 references)" -j C',
  ])('do not split the complete line %s', (text) => {
    const { found } = find(text)
    expect(found.map(({ rules }) => rules.map((rule) => rule.words.join(' ')))).toEqual([[text.slice(5)]])
    expect([...(found[0]?.incompleteChains ?? [])]).toEqual([])
  })

  it.each([
    ['see -A A -j B', 'badRow'],
    ['a COMMIT', 'badRow'],
    ['COMMITTED', 'badRow'],
    ['x -N A', 'badRow'],
    ['x*nat', 'badRow'],
    [':.A - [0:0]', 'cutLine'],
    [':A - [0:0]..', 'cutLine'],
    [':A - [0:0]\u2026', 'cutLine'],
    [':A ACCEPTED', 'cutLine'],
    ['x:A - [0:0]', 'badRow'],
    ['-A ""', 'cutLine'],
    ['-A "a b" -j C', 'cutLine'],
  ])('are not recognized in "%s", so the text causes the problem %s', (text, code) => {
    expect(find(text).codes).toEqual([code])
  })

  it('may contain chain names with dots', () => {
    expect(find(':A..B - [0:0];-A A..B -j C')).toMatchObject({ blocks: ['rules -: A..B | A..B |'], codes: [] })
  })
})
