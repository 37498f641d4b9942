import { describe, expect, it } from 'vitest'
import type { NamedSet, Table } from '../../../compiler/src/dataplane/nftables/ast.js'
import { GOLDENS } from '../../../compiler/test/dataplane/nftables/goldens.js'
import { tableOf, tablesOf } from '../../../compiler/test/dataplane/nftables/tables.js'
import { checkNftables } from './check-nftables.js'

function problemsOf(table: Table): readonly string[] {
  return checkNftables(table).map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`))
}

/** Parses a listing, because commands with undefined references are invalid. */
function listed(body: string): Table {
  return tableOf(`table ip t {\n${body}}\n`)
}

describe('checkNftables', () => {
  it.each(GOLDENS)('returns no problems for $name', ({ text }) => {
    for (const table of tablesOf(text)) expect(checkNftables(table)).toEqual([])
  })

  it('reports a problem with its table and location', () => {
    expect(checkNftables(listed('\tchain 1a {\n\t}\n'))).toEqual([
      {
        severity: 'error',
        code: 'structure',
        object: { kind: 'nftables', name: 'ip t' },
        path: 'chains[0].name',
        message: '"1a" cannot be a name',
        expected: 'a letter, . or _, then letters, digits, /, -, _ and .',
      },
    ])
  })

  it.each<readonly [string, string, readonly string[]]>([
    ['a jump to a missing chain', 'chain c {\njump d\n}\n', ['chains[0].rules[0]: there is no chain d']],
    [
      'an anonymous map with a missing chain',
      'chain c {\nnumgen random mod 1 vmap { 0 : goto d }\n}\n',
      ['chains[0].rules[0]: there is no chain d'],
    ],
    [
      'an element with a missing chain',
      'map m {\ntype mark : verdict\nelements = { 5 : goto d }\n}\n',
      ['sets[0].elements[0]: there is no chain d'],
    ],
    ['a set that does not exist', 'chain c {\nip saddr @s drop\n}\n', ['chains[0].rules[0]: there is no set or map s']],
    [
      'a counter that does not exist',
      'chain c {\ncounter name "k"\n}\n',
      ['chains[0].rules[0]: there is no counter k'],
    ],
    [
      'references to a missing map, and to a set or map of the wrong kind',
      'set s {\ntype mark\n}\nmap m {\ntype mark : verdict\n}\nmap n {\ntype mark : mark\n}\nchain c {\nmeta mark vmap @x\nmeta mark vmap @s\nip saddr @m drop\nmeta mark vmap @n\n}\n',
      [
        'chains[0].rules[0]: there is no set or map x',
        'chains[0].rules[1].statements[0]: s is not a verdict map',
        'chains[0].rules[2].statements[0]: expected a set, got a map',
        'chains[0].rules[3].statements[0]: n is not a verdict map',
      ],
    ],
    [
      'a set that rules cannot add elements to',
      'set s {\ntype ipv4_addr\n}\nchain c {\nupdate @s { ip saddr }\n}\n',
      ['chains[0].rules[0].statements[0]: rules cannot fill s: it is not dynamic'],
    ],
    [
      'a path to a base chain',
      'chain b {\ntype filter hook input priority 0; policy accept;\n}\nchain c {\ngoto b\n}\n',
      ['chains[1].rules[0]: b is a base chain, and no rule can jump to it'],
    ],
    [
      'a loop that packets reach',
      'chain b {\ntype filter hook input priority 0; policy accept;\njump c\n}\nmap m {\ntype ipv4_addr : verdict\nelements = { 10.0.0.1 : goto c }\n}\nchain c {\njump d\n}\nchain d {\nip saddr vmap @m\n}\n',
      ['b -> c -> d -> c loops back to itself'],
    ],
    ['a loop that no packet reaches', 'chain c {\ngoto d\n}\nchain d {\ngoto c\n}\n', []],
    [
      'a prefix of interfaces after iif',
      'chain c {\niif cali* drop\noif != lo drop\niifname cali* drop\n}\n',
      ['chains[0].rules[0].statements[0]: iif takes no prefix: there is no interface cali*'],
    ],
    [
      'one key with two values',
      'chain c {\nmeta mark vmap { 7 : drop, 7 : jump d }\ndnat to numgen random mod 2 map { 0 : 10.0.0.1, 0 : 10.0.0.2 }\n}\nchain d {\n}\n',
      [
        'chains[0].rules[0].statements[0]: 0x00000007 has two values, drop and jump d',
        'chains[0].rules[1].statements[0]: 0 has two values, 10.0.0.1 and 10.0.0.2',
      ],
    ],
    [
      'elements of a wrong type',
      'set s {\ntype mark\nelements = { 5 : drop, 6 timeout 5s }\n}\nmap m {\ntype mark : mark\nelements = { 5 : drop }\n}\nmap n {\ntype mark : verdict\nelements = { 5 }\n}\n',
      [
        'sets[0].elements[0]: 0x00000005 does not fit the set',
        'sets[0].elements[1]: the set has no timeouts',
        'sets[1].elements[0]: 0x00000005 does not fit the map',
        'sets[2].elements[0]: 0x00000005 does not fit the map',
      ],
    ],
    ['as many elements as the size of the set allows', 'set s {\ntype mark\nsize 2\nelements = { 5, 6 }\n}\n', []],
    [
      'sets that rules can add elements to',
      'set s {\ntype ipv4_addr\nflags dynamic\n}\nset u {\ntype ipv4_addr\nflags timeout\n}\nset v {\ntype ipv4_addr\ntimeout 5s\n}\nset w {\ntype ipv4_addr\nflags interval\n}\nchain c {\nupdate @s { ip saddr } update @u { ip saddr } update @v { ip saddr } update @w { ip saddr }\n}\n',
      ['chains[0].rules[0].statements[3]: rules cannot fill w: it is not dynamic'],
    ],
    [
      'timeouts of elements',
      'set u {\ntype mark\nflags timeout\nelements = { 5 timeout 5s }\n}\nset v {\ntype mark\ntimeout 9s\nelements = { 5 timeout 5s }\n}\nset w {\ntype mark\nflags interval\nelements = { 4, 5 timeout 5s }\n}\n',
      ['sets[2].elements[1]: the set has no timeouts'],
    ],
    [
      'an element with several errors',
      'set s {\ntype mark\nelements = { 4, 5 timeout 5s : goto d }\n}\n',
      [
        'sets[0].elements[1]: 0x00000005 does not fit the set',
        'sets[0].elements[1]: the set has no timeouts',
        'sets[0].elements[1]: there is no chain d',
      ],
    ],
    [
      'a set with data',
      'set s {\ntype mark\nelements = { 5 : 6 }\n}\n',
      ['sets[0].elements[0]: 0x00000005 does not fit the set'],
    ],
    [
      'maps with elements of the right type',
      'map m {\ntype mark : mark\nelements = { 5 : 6 }\n}\nmap n {\ntype mark : verdict\nelements = { 5 : goto c }\n}\nchain c {\nmeta mark vmap @n\n}\n',
      [],
    ],
    [
      'an element to a base chain',
      'map m {\ntype mark : verdict\nelements = { 5 : goto b }\n}\nchain b {\ntype filter hook input priority 0; policy accept;\n}\n',
      ['sets[0].elements[0]: b is a base chain, and no rule can jump to it'],
    ],
    [
      'one key with and without a value',
      'chain c {\ndnat to tcp dport map { 80 : 10.0.0.1, 80 : 10.0.0.1 }\ntcp dport vmap { 80 : jump c2, 80 : goto c2 }\n}\nchain c2 {\n}\n',
      ['chains[0].rules[1].statements[0]: 80 has two values, jump c2 and goto c2'],
    ],
    [
      'accepted prefixes of interfaces',
      'chain c {\noif != cali* drop\noifname cali* drop\niif . meta mark cali* . 5 drop\niif { cali* } drop\nct mark 5 drop\n}\n',
      ['chains[0].rules[0].statements[0]: oif takes no prefix: there is no interface cali*'],
    ],
    [
      'more elements than the size of the set',
      'set s {\ntype mark\nsize 1\nelements = { 5, 6 }\n}\n',
      ['sets[0]: 2 elements are more than its size 1'],
    ],
  ])('returns the expected problems for %s', (_, body, problems) => {
    expect(problemsOf(listed(body))).toEqual(problems)
  })

  it('rejects unquotable comments, and comments of more than 128 bytes', () => {
    const text = (length: number) => 'ä'.repeat(length / 2)
    const body = (comment: string) =>
      `comment "${comment}"\nset s {\ntype mark\ncomment "${comment}"\nelements = { 5 comment "${comment}" }\n}\nchain c {\ncomment "${comment}"\ndrop comment "${comment}"\n}\n`
    expect(problemsOf(listed(body(text(128))))).toEqual([])
    expect(problemsOf(listed(body(text(130))))).toEqual(
      [
        'comment',
        'chains[0].comment',
        'chains[0].rules[0].comment',
        'sets[0].comment',
        'sets[0].elements[0].comment',
      ].map((path) => `${path}: the comment is longer than 128 bytes`),
    )
    expect(problemsOf({ ...listed(''), comment: 'a"b' })).toEqual([
      'comment: the comment has a double quote or a control character',
    ])
  })

  it('rejects a map key with two values', () => {
    const [map] = listed('\tmap m {\n\t\ttype mark : verdict\n\t\telements = { 5 : drop }\n\t}\n').sets
    const elements = [...(map?.elements ?? []), { key: '0x00000005', verdict: { kind: 'accept' } } as const]
    expect(problemsOf({ ...listed(''), sets: [{ ...(map as NamedSet), elements }] })).toEqual([
      'sets[0]: 0x00000005 has two values, drop and accept',
    ])
    expect(problemsOf({ ...listed(''), sets: [{ ...(map as NamedSet), elements: [{ key: '0x00000005' }] }] })).toEqual([
      'sets[0].elements[0]: 0x00000005 does not fit the map',
    ])
  })

  it('rejects names of more than 255 bytes, and duplicate names', () => {
    const empty: Table = { family: 'ip', name: 'a'.repeat(255), chains: [], sets: [], objects: [] }
    expect(problemsOf(empty)).toEqual([])
    const set = { kind: 'set', name: 's', key: { kind: 'type', types: ['mark'] }, elements: [] } as const
    const table: Table = {
      ...empty,
      name: 'a'.repeat(256),
      chains: [
        { name: 'c', rules: [] },
        { name: 'c', rules: [] },
      ],
      sets: [set, set],
      objects: [{ kind: 'counter', name: '', packets: 0, bytes: 0 }],
    }
    expect(problemsOf(table)).toEqual([
      'name: the name is longer than 255 bytes',
      'chains[1].name: c is defined twice',
      'sets[1].name: s is defined twice',
      'objects[0].name: "" cannot be a name',
    ])
  })

  it('rejects paths through more than 15 chains after a base chain', () => {
    const chains = (length: number) => {
      const names = Array.from({ length }, (_, index) => `c${index}`)
      const bodies = names.map(
        (name, index) => `chain ${name} {\n${names[index + 1] ? `jump ${names[index + 1]}` : 'drop'}\n}\n`,
      )
      return `chain b {\ntype filter hook input priority 0; policy accept;\njump c0\njump c0\n}\n${bodies.join('')}`
    }
    expect(problemsOf(listed(chains(15)))).toEqual([])
    expect(problemsOf(listed(chains(16)))[0]).toMatch(/^b -> c0 -> .* -> c15 has more jumps than the kernel follows$/)
    const twice = chains(16).replace('jump c0\njump c0', 'jump d\njump c0').concat('chain d {\njump c1\n}\n')
    expect(problemsOf(listed(twice))[0]).toMatch(/^b -> d -> c1 -> .* -> c15 has more jumps than the kernel follows$/)
  })
})
