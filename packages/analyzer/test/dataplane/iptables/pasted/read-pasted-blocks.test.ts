import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { chainsOf } from '../../../../../compiler/src/dataplane/iptables/chains.js'
import { printRule } from '../../../../../compiler/src/dataplane/iptables/print/print.js'
import { readPastedBlocks } from '../../../../src/dataplane/iptables/pasted/read-pasted-blocks.js'
import type { PastedCommand, PastedLine, PasteHints } from '../../../../src/dataplane/netfilter/pasted.js'
import { line } from './blocks-of.js'

const TABLES: Readonly<Record<string, string>> = { 'KUBE-NAT': 'nat', 'KUBE-FW': 'filter' }

const SAVE: PastedCommand = { tool: 'iptables-save', args: [] }
const LIST: PastedCommand = { tool: 'iptables', args: ['-t', 'nat', '-L', '-n'] }

/** Builds lines: `` is a blank line, `...` a gap and `--` an end. */
function linesOf(sources: readonly string[], fields: Partial<PastedLine>): readonly PastedLine[] {
  const kinds: Readonly<Record<string, PastedLine['kind']>> = { '': 'blank', '...': 'gap', '--': 'end' }
  return sources.map((source, index) => line(source, { kind: kinds[source] ?? 'line', line: index + 1, ...fields }))
}

function read(sources: readonly string[], fields: Partial<PastedLine> = {}, family: IpFamily = 'IPv4') {
  const hints: PasteHints = {
    family,
    tableOfChain: (chain) => TABLES[chain],
    chainOfWords: (words) => (words.includes('KUBE-SVC') ? 'KUBE-NAT' : undefined),
    tableOfObject: () => undefined,
    isOwned: () => true,
  }
  const { states, coverage, problems, notes } = readPastedBlocks(linesOf(sources, fields), hints)
  return {
    rules: Object.values(states).flatMap((state) =>
      state.tables.flatMap((table) =>
        [...chainsOf(table).values()].flat().map((rule) => {
          return `${state.family} ${table.name} ${printRule(rule, 'restore', state.family).replace('-A ', '')}`
        }),
      ),
    ),
    states,
    coverage,
    notes: notes.map(({ code, line: at, message }) => `${at} ${code} ${message}`),
    problems: problems.map(({ code, line: at, column, message }) => `${at}:${column} ${code} ${message}`),
  }
}

describe('the family of rules', () => {
  it('is the family of their addresses, or of the previous rule if the rules have no addresses', () => {
    const found = read(['-A A -j B', '-A A -s fd00::1 -j C', '-A A -j D', '-A A -s 10.0.0.1 -j E', '-A A -j F'])
    expect(found.rules).toEqual([
      'IPv4 nat A -s 10.0.0.1 -j E',
      'IPv4 nat A -j F',
      'IPv6 nat A -j B',
      'IPv6 nat A -s fd00::1 -j C',
      'IPv6 nat A -j D',
    ])
  })

  it.each<[string, readonly string[], Partial<PastedLine>, IpFamily, boolean]>([
    ['is noted as assumed if no line determines it and the hint is IPv6', ['-A A -j B'], {}, 'IPv6', true],
    ['is not noted if no line determines it and the hint is IPv4', ['-A A -j B'], {}, 'IPv4', false],
    ['is noted as assumed if there are only chains and the hint is IPv6', ['-N A'], {}, 'IPv6', true],
    ['is not noted if the table is empty', ['*nat', 'COMMIT'], {}, 'IPv6', false],
    ['is not noted if an address determines it', ['-A A -s fd00::1 -j B'], {}, 'IPv6', false],
    ['is not noted if a heading determines it', ['-A A -j B'], { family: 'IPv6' }, 'IPv6', false],
    [
      'is not noted if the command determines it',
      ['-A A -j B'],
      { command: { tool: 'ip6tables', args: ['-S'] } },
      'IPv6',
      false,
    ],
  ])('%s', (_, sources, fields, family, isNoted) => {
    const notes = read(sources, fields, family).notes.filter((note) => note.includes('Family'))
    expect(notes).toEqual(isNoted ? ['1 assumedFamily no line names the address family; it is assumed to be IPv6'] : [])
  })
})

describe('the table of rules', () => {
  const noted = (tables: string) =>
    `1 assumedTable no line names the table of these rules; it is assumed to be ${tables}, because of their chains and targets`

  it.each<[readonly string[], string | undefined]>([
    [['-A A -j DNAT --to-destination 10.0.0.1', '-A A -j B'], 'nat'],
    [['-A A -j DNAT --to-destination 10.0.0.1', '-A KUBE-FW -j REJECT'], 'nat and filter'],
    [['*nat', ':OUTPUT ACCEPT', '-A OUTPUT -j B'], undefined],
    [['*nat', ':OUTPUT ACCEPT', '-A KUBE-FW -j B'], 'filter'],
  ])('is inferred for %j, with a note about the assumption: %s', (sources, tables) => {
    expect(read(sources).notes).toEqual(tables === undefined ? [] : [noted(tables)])
  })

  it('keeps its position from the text', () => {
    const states = read([
      '*filter',
      ':A - [0:0]',
      'COMMIT',
      '*mangle',
      ':A - [0:0]',
      'COMMIT',
      '*raw',
      ':A -',
      'COMMIT',
    ])
    expect(states.states.IPv4?.tables.map(({ name }) => name)).toEqual(['filter', 'mangle', 'raw'])
  })
})

describe('unreadable rules', () => {
  it.each([
    ['-A A word -j B', '1:8 unexpectedWord expected an option'],
    ['-A A -j B -j C', '1:13 duplicateTarget the rule already has a target'],
    ['-A A -j B -s', '1:13 missingValue this option takes a value'],
  ])('such as "%s" cause the problem %s', (source, problem) => {
    const found = read([source, '--'], { column: 3, written: `$ ${source}` })
    expect([found.problems, found.rules]).toEqual([[problem], []])
  })

  it('are omitted, together with a table that contains no other rules', () => {
    expect(read(['-A A word -j B']).states).toEqual({})
    expect(read(['-A A -j C', '-A A word -j B', '--']).rules).toEqual(['IPv4 nat A -j C'])
    expect(Object.keys(read(['*nat', 'COMMIT']).states)).toEqual([])
    expect(Object.keys(read(['-N A']).states)).toEqual(['IPv4'])
  })

  it('make their chain incomplete', () => {
    const whole = (...more: readonly string[]) =>
      read(['*nat', ':A - [0:0]', ':B - [0:0]', '-A A -j B', ...more, '-A B -j RETURN', 'COMMIT']).coverage.IPv4
        ?.complete
    expect(whole()).toEqual(['nat/A', 'nat/B'])
    expect(whole('-A A x')).toEqual(['nat/B'])
  })

  it('cause at most a hundred problems', () => {
    expect(read(Array.from({ length: 101 }, (_, index) => `-A A x${index} -j B`)).problems).toHaveLength(100)
  })
})

const NAT = ['*nat', ':PREROUTING ACCEPT [0:0]', ':OUTPUT ACCEPT [0:0]', ':POSTROUTING DROP [0:0]', 'COMMIT']
const FILTER = ['*filter', ':INPUT ACCEPT [0:0]', ':FORWARD ACCEPT [0:0]', ':OUTPUT ACCEPT [0:0]', 'COMMIT']
const chainsIn = (table: string, sources: readonly string[]) =>
  sources.filter((each) => each.startsWith(':')).map((each) => `${table}/${each.slice(1).split(' ')[0]}`)
const CHAINS = [...chainsIn('nat', NAT), ...chainsIn('filter', FILTER)]

describe('the coverage of an excerpt', () => {
  const coverage = (sources: readonly string[], fields: Partial<PastedLine> = { command: SAVE }) =>
    read(sources, fields).coverage.IPv4

  const all = {
    isComplete: true,
    complete: ['nat', 'filter', 'raw', 'mangle', 'security', ...CHAINS],
    empty: ['raw', 'mangle', 'security'],
    truncated: [],
  }
  const both = { isComplete: false, complete: ['nat', 'filter', ...CHAINS], empty: [], truncated: [] }

  it.each<[string, readonly string[], Partial<PastedLine>, object]>([
    ['includes every table if the command is iptables-save', [...NAT, ...FILTER], { command: SAVE }, all],
    ['includes every table after the first line of iptables-save', [...NAT, ...FILTER], { family: 'IPv4' }, all],
    ['includes only the given tables if the command is missing', [...NAT, ...FILTER], {}, both],
    ['includes only the given tables if there is a gap', [...NAT, '...', ...FILTER], { command: SAVE }, both],
    [
      'includes only the given table if other tables are missing',
      NAT,
      { command: SAVE },
      { ...both, complete: ['nat', ...chainsIn('nat', NAT)] },
    ],
    [
      'includes only the given tables if the command requested one table',
      [...NAT, ...FILTER],
      { command: { ...SAVE, args: ['-t', 'nat'] } },
      both,
    ],
    [
      'includes no table if the command is a search',
      [...NAT, ...FILTER],
      { command: { ...SAVE, filter: 'search' } },
      { ...both, complete: [] },
    ],
    [
      'excludes a table with a reference to a missing chain, all of its chains, and tables that are not shown',
      [...NAT, ...FILTER.slice(0, -1), '-A INPUT -j A', 'COMMIT'],
      { command: SAVE },
      {
        ...all,
        isComplete: false,
        empty: [],
        complete: ['nat', ...CHAINS.filter((id) => !id.startsWith('filter/'))],
      },
    ],
  ])('%s', (_, sources, fields, expected) => {
    expect(coverage(sources, fields)).toEqual(expected)
  })

  it('includes the policies of built-in chains', () => {
    expect(read(NAT).states.IPv4?.tables[0]?.policies).toEqual([{ chain: 'POSTROUTING', policy: 'DROP' }])
  })

  it('after a gap, includes only chains that show their family, with names of a single table', () => {
    const rules = ['-A A -j B', '-A KUBE-NAT -j B', '-A C -j B']
    const sources = ['*nat', ':A - [0:0]', ':B - [0:0]', '...', ':KUBE-NAT - [0:0]', ':C - [0:0]', ...rules, 'COMMIT']
    expect(coverage(sources)?.complete).toEqual([])
    const withAddress = sources.map((line) => line.replace('KUBE-NAT -j', 'KUBE-NAT -d 10.0.0.1 -j'))
    expect(coverage(withAddress)?.complete).toEqual(['nat/KUBE-NAT'])
  })

  const HEAD = ['Chain A (1 references)', 'target     prot opt source               destination']
  const ROW = 'KUBE-SVC   all  --  10.0.0.1             0.0.0.0/0'

  it('marks a listed chain as truncated if rows have missing columns or unknown words', () => {
    expect(coverage([...HEAD, ROW, ''], { command: LIST })).toEqual({
      isComplete: false,
      complete: ['nat/A'],
      empty: [],
      truncated: ['nat/A'],
    })
    const wide = [HEAD[0] as string, 'pkts bytes target prot opt in out source destination']
    const row = '1 2 ACCEPT all -- * * 10.0.0.1 0.0.0.0/0'
    expect(coverage([...wide, row, ''], { command: LIST })?.truncated).toEqual([])
    expect(coverage([...wide, `${row} other words`, ''], { command: LIST })?.truncated).toEqual(['nat/A'])
    expect(coverage([...wide, row.replace('ACCEPT', 'LOG'), ''], { command: LIST })?.truncated).toEqual(['nat/A'])
    expect(coverage([...HEAD, ''], { command: LIST })).toMatchObject({ complete: ['nat/A'], truncated: [] })
  })

  it('includes the table if all of its chains are listed', () => {
    const chain = (name: string) => [`Chain ${name} (policy ACCEPT)`, HEAD[1] as string, '']
    const sources = ['PREROUTING', 'INPUT', 'OUTPUT', 'POSTROUTING'].flatMap(chain)
    expect(coverage(sources, { command: LIST })?.complete).toContain('nat')
    expect(coverage(sources.slice(3), { command: LIST })?.complete).not.toContain('nat')
  })
})

describe('rows without a listing', () => {
  it.each<[string, PastedCommand | undefined, readonly string[], readonly string[]]>([
    ['KUBE-SVC all -- 0.0.0.0/0 10.0.0.1', undefined, ['IPv4 nat KUBE-NAT -d 10.0.0.1 -j KUBE-SVC'], []],
    ['ACCEPT all -- 0.0.0.0/0 10.0.0.1', undefined, [], ['1:1 strayLine the chain of this row is unknown']],
    [
      'ACCEPT all -- 0.0.0.0/0 10.0.0.1',
      { ...LIST, args: ['-L', 'A', '-t', 'nat'] },
      ['IPv4 nat A -d 10.0.0.1 -j ACCEPT'],
      [],
    ],
    [
      'some words',
      undefined,
      [],
      ['1:1 badRow expected a rule, or a row of a listing: target, protocol, options, source and destination'],
    ],
    [
      'ACCEPT... all -- 0.0.0.0/0 10.0.0.1',
      undefined,
      [],
      ['1:1 badRow expected a rule, or a row of a listing: target, protocol, options, source and destination'],
    ],
  ])('are parsed or reported as problems: %s', (source, command, rules, problems) => {
    const found = read([source], { command })
    expect([found.rules, found.problems]).toEqual([rules, problems])
  })

  it('have the family of their addresses', () => {
    const of = (address: string) => read([`KUBE-SVC all -- ${address} anywhere`], {}, 'IPv6').rules[0]?.slice(0, 4)
    expect([of('10.0.0.1'), of('fd00::1'), of('node-1')]).toEqual(['IPv4', 'IPv6', 'IPv6'])
  })
})

describe('truncated lines', () => {
  const cutName = 'cutLine the line ends before the name of the chain'
  const cutRule = 'cutLine the line is truncated before the target of the rule'

  it.each<[readonly string[], readonly string[], readonly string[]]>([
    [['-A A -j B', '-A A -s 10.0.0.1 ...'], ['IPv4 nat A -j B'], [`2:1 ${cutRule}`]],
    [['-A A -j B', '-A A -s 10.0.0.1\u2026'], ['IPv4 nat A -j B'], [`2:1 ${cutRule}`]],
    [['-A A -j B', '-A A -m comment --comment "x'], ['IPv4 nat A -j B'], [`2:1 ${cutRule}`]],
    [['-A A -j B', '-A A -s 10.0.0.1'], ['IPv4 nat A -j B'], [`2:1 ${cutRule}`]],
    [['-A A -s 10.0.0.1', '-A A -j B'], ['IPv4 nat A -s 10.0.0.1', 'IPv4 nat A -j B'], []],
    [['-A A -j B', '-A A'], ['IPv4 nat A -j B'], [`2:1 ${cutName}`]],
    [['-A A -j B', '-A A...'], ['IPv4 nat A -j B'], [`2:1 ${cutName}`]],
    [['-A A', '-A A -j B'], ['IPv4 nat A', 'IPv4 nat A -j B'], []],
    [['-A A -g B'], ['IPv4 nat A -g B'], []],
    [['-A A -s 10.0.0.1 .. -j B'], ['IPv4 nat A -s 10.0.0.1 -m leftout -j B'], []],
    [
      ['-A A ... -m mark --mark 0x1', '-A B -j C'],
      ['IPv4 nat A -m mark --mark 0x00000001/0xffffffff -m leftout', 'IPv4 nat B -j C'],
      [],
    ],
    [[':A.. - [0:0]', '-A B -j C'], ['IPv4 nat B -j C'], []],
    [[':A -...'], [], ['1:1 cutLine expected :CHAIN and its policy']],
    [[':A RETURN', '-A B -j C'], ['IPv4 nat B -j C'], ['1:1 cutLine expected :CHAIN and its policy']],
    [['-N', '-N "x', '-A B -j C'], ['IPv4 nat B -j C'], ['2:1 cutLine expected the name of a chain']],
    [['-I A 3 -j B'], ['IPv4 nat A -j B'], []],
    [['[1:2] -A A -j B', '[1:2]-A A -j C'], ['IPv4 nat A -j B', 'IPv4 nat A -j C'], []],
  ])('are parsed or reported as problems: %j', (sources, rules, problems) => {
    const found = read(sources)
    expect(found.rules).toEqual(rules)
    for (const problem of problems) expect(found.problems).toContain(problem)
  })
})
