import { describe, expect, it } from 'vitest'
import type { NamedSet, Table } from '../../../../../compiler/src/dataplane/nftables/ast.js'
import { formatNftRule } from '../../../../../compiler/src/dataplane/nftables/format-nft-rule.js'
import { NO_HINTS } from '../../../../../compiler/test/support/pasted-lines.js'
import type {
  LineContinuation,
  PastedCommand,
  PastedLine,
  PasteHints,
} from '../../../../src/dataplane/netfilter/pasted.js'
import { countBraceBalance, isBlockStart } from '../../../../src/dataplane/nftables/pasted/parts.js'
import { nftablesPasteReader } from '../../../../src/dataplane/nftables/pasted/reader.js'

/**
 * Builds pasted lines: `$ COMMAND` is the command, `| WORD` after it a search; `…` is a gap, `---` the end of the
 * output.
 */
function linesOf(text: string): readonly PastedLine[] {
  let command: PastedCommand | undefined
  return text.split('\n').flatMap((written, index): readonly PastedLine[] => {
    const source = written.trim().replace(/^!/, '')
    if (source.startsWith('$ ')) {
      const [tool = '', ...args] = source.slice(2).split(' ')
      const pipe = args.indexOf('|')
      command = pipe < 0 ? { tool, args } : { tool, args: args.slice(0, pipe), filter: 'search' }
      return []
    }
    const kinds: Readonly<Record<string, PastedLine['kind']>> = {
      '': 'blank',
      '…': 'gap',
      '---': 'end',
      '???': 'unread',
    }
    const kind = kinds[source] ?? (written.startsWith('!') ? 'unread' : 'line')
    const isCut = source.endsWith(' …')
    return [
      { kind, source, isCut, command, text: 0, line: index + 1, column: written.length - source.length + 1, written },
    ]
  })
}

const HINTS: PasteHints = {
  ...NO_HINTS,
  tableOfObject: (part) => (part === 'services' || part === 'service-ips' ? 'kube-proxy' : undefined),
}

/** Summarizes a table. */
function summaryOf({ family, name, flags, comment, chains, sets, objects }: Table): readonly string[] {
  return [
    [`${family} ${name}`, ...(flags ?? []), ...(comment === undefined ? [] : [comment])].join(' '),
    ...chains.map((chain) => [`${chain.name}${chain.base ? '*' : ''}:`, ...chain.rules.map(formatNftRule)].join(' ')),
    ...sets.map((set) => [`${set.kind} ${set.name}:`, ...keysOf(set)].join(' ')),
    ...objects.map((object) => object.name),
  ]
}

const keysOf = ({ elements }: NamedSet) => elements.map(({ key }) => key)

function read(text: string, hints: Partial<PasteHints> = {}) {
  const { states, coverage, problems, notes } = nftablesPasteReader.read(linesOf(text), { ...HINTS, ...hints })
  const [first] = Object.values(coverage)
  for (const each of Object.values(coverage)) expect(each).toEqual(first)
  expect(Object.keys(coverage)).toEqual(Object.keys(states))
  return {
    tables: (states.IPv4 ?? states.IPv6)?.tables.flatMap(summaryOf) ?? [],
    whole: [...(first?.isComplete ? ['all'] : []), ...(first?.complete ?? [])].map((id) => id.replace('nftables ', '')),
    left: [...problems, ...notes].map(({ line, code, message }) => `${line} ${code}: ${message}`),
  }
}

const CUT = 'cutLine: something is missing before or within this line'

const BASE = 'chain b {\n type filter hook input priority 0; policy accept;\n jump a\n}\n'
const A = 'chain a {\n drop\n}\n'

describe('an excerpt of nftables output', () => {
  it.each<[string, string, readonly string[], readonly string[], (readonly string[])?]>([
    [
      'a table',
      `table ip t {\n${BASE}${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a'],
    ],
    [
      'a table that was requested',
      `$ nft list ruleset\ntable ip t {\n${BASE}${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['all', 'ip t', 'ip t chain b', 'ip t chain a'],
    ],
    [
      'a requested table before another command',
      `$ nft list ruleset\ntable ip t {\n${BASE}${A}}\n$ true\n---`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['all', 'ip t', 'ip t chain b', 'ip t chain a'],
    ],
    [
      'a table that the command requested by name',
      `$ nft list table ip t\ntable ip t {\n${BASE}${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a'],
    ],
    [
      'a table from a search',
      `$ nft list ruleset | grep\ntable ip t {\n${BASE}${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      [],
    ],
    [
      'a table after the command of another tool',
      `$ cat ruleset\ntable ip t {\n${BASE}${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a'],
    ],
    ...['chain ip t b', 'chains', 'sets', 'maps ip', 'map ip t m'].map(
      (what): [string, string, readonly string[], readonly string[]] => [
        `the output of list …`,
        `$ nft list ${what}\ntable ip t {\n${BASE}${A}}`,
        ['ip t', 'b*: jump a', 'a: drop'],
        ['ip t chain b', 'ip t chain a'],
      ],
    ),
    [
      'a table after the command list table chainmail',
      `$ nft list table chainmail\ntable ip t {\n${BASE}${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a'],
    ],
    ['a table without a base chain', `table ip t {\n${A}}`, ['ip t', 'a: drop'], ['ip t chain a']],
    ['a table with a jump to a missing chain', `table ip t {\n${BASE}}`, ['ip t', 'b*: jump a'], ['ip t chain b']],
    [
      'a table with a lookup in a missing set',
      `table ip t {\n${BASE.replace('jump a', 'ip saddr @s drop')}}`,
      ['ip t', 'b*: ip saddr @s drop'],
      ['ip t chain b'],
    ],
    [
      'a table with an element to a missing chain',
      `table ip t {\n${BASE}${A}map m {\n type mark : verdict\n elements = { 5 : goto x }\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop', 'map m: 0x00000005'],
      ['ip t chain b', 'ip t chain a', 'ip t set m'],
    ],
    [
      'a table that is not closed',
      `table ip t {\n${BASE}${A}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b', 'ip t chain a'],
    ],
    [
      'a duplicate table',
      `table ip t {\n${BASE}${A}}\ntable ip t {\n${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b', 'ip t chain a'],
    ],
    [
      'a table next to another table with a gap',
      `$ nft list ruleset\ntable ip t {\n${BASE}${A}}\ntable ip u {\n…\n${A}}`,
      ['ip t', 'b*: jump a', 'a: drop', 'ip u', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a', 'ip u chain a'],
    ],
    [
      'a table with a gap between chains',
      `table ip t {\n${BASE}…\n${A}}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b', 'ip t chain a'],
    ],
    [
      'a table with a comment and flags',
      'table ip t {\n comment "mine"\n flags dormant\n\n chain a {\n }\n}',
      ['ip t dormant mine', 'a:'],
      ['ip t chain a'],
    ],
    [
      'a table with an invalid comment',
      'table ip t {\n comment\n comment "\n}',
      ['ip t'],
      [],
      ['2 strayLine: the table of this line is unknown'],
    ],
    [
      'text before, in and after a table',
      `accept\ntable ip t {\n${BASE}${A}drop\n}\nreturn`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b', 'ip t chain a'],
      [1, 10, 12].map((line) => `${line} strayLine: the table of this line is unknown`),
    ],
    [
      'a chain that ends where the next chain starts',
      `table ip t {\nchain a {\n drop\n${BASE}}`,
      ['ip t', 'a: drop', 'b*: jump a'],
      ['ip t chain b'],
    ],
    [
      'a chain that ends where a table starts',
      `table ip t {\nchain a {\n drop\ntable ip u {\n${A}}`,
      ['ip t', 'a: drop', 'ip u', 'a: drop'],
      ['ip u chain a'],
    ],
    [
      'a chain without its end',
      `table ip t {\n${BASE}chain a {\n drop\n---\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b'],
    ],
    [
      'a chain with a gap',
      `table ip t {\n${BASE}chain a {\n drop\n…\n accept\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b'],
      [`9 ${CUT}`],
    ],
    [
      'a chain with a truncated line',
      `table ip t {\n${BASE}chain a {\n drop\n ip saddr …\n accept\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop accept'],
      ['ip t chain b'],
      [`8 ${CUT}`],
    ],
    [
      'a set with only a truncated line',
      `table ip t {\n${BASE}${A}set s {\n type …\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b', 'ip t chain a'],
      [`10 ${CUT}`, '9 cutLine: the set has no type'],
    ],
    [
      'a set that ends where the next set starts',
      `table ip t {\n${BASE}${A}set s {\nset u {\n type mark\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop', 'set u:'],
      ['ip t chain b', 'ip t chain a', 'ip t set u'],
      ['9 cutLine: the set has no type'],
    ],
    [
      'text after a table alone',
      `table ip t {\n${BASE}${A}}\nreturn\n${A}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a'],
      ['10 strayLine: the table of this line is unknown', '11 strayLine: the table of this chain is unknown'],
    ],
    [
      'a chain after the end of the output',
      `table ip t {\n---\n${A}`,
      ['ip t'],
      [],
      ['3 strayLine: the table of this chain is unknown'],
    ],
    [
      'a rule of many lines next to an invalid rule',
      `table ip t {\nchain a {\n comment\n jump {\n ip saddr {\n 10.0.0.1\n } drop\n }\n accept\n}\n}`,
      ['ip t', 'a: jump { ip saddr { 10.0.0.1 ; } drop ; } accept'],
      [],
      ['3 cutLine: expected a rule'],
    ],
    [
      'a set with braces in a comment',
      'table ip t {\n set s {\n  type mark\n  elements = { 1 comment "a } b",\n   2 what }\n }\n}',
      ['ip t', 'set s: 0x00000001'],
      [],
      ['5 cutLine: expected an element'],
    ],
    [
      'a complete table after a truncated one',
      `table ip u {\nchain x {\n drop\ntable ip t {\n${BASE}${A}}`,
      ['ip u', 'x: drop', 'ip t', 'b*: jump a', 'a: drop'],
      ['ip t', 'ip t chain b', 'ip t chain a'],
    ],
    [
      'a rule after the end of the output',
      `table ip t {\nchain a {\n drop\n---\n accept\n}`,
      ['ip t', 'a: drop'],
      [],
      ['5 strayLine: the table of this line is unknown'],
    ],
    [
      'a chain with lines of a set',
      `table ip t {\n${BASE}chain a {\n drop\n elements = { 5 }\n accept\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b'],
      [`8 ${CUT}`, `9 ${CUT}`],
    ],
    [
      'the end of a set in a chain',
      `table ip t {\n${BASE}chain a {\n drop\n 10.0.0.1 }\n accept\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop'],
      ['ip t chain b'],
      [`8 ${CUT}`, `9 ${CUT}`],
    ],
    [
      'an invalid rule',
      `table ip t {\n${BASE}chain a {\n comment "is"\n drop\n comment\n ip saddr {\n 10.0.0.1\n } accept\n}\n}`,
      ['ip t', 'b*: jump a', 'a: drop ip saddr 10.0.0.1 accept'],
      ['ip t chain b'],
      ['9 cutLine: expected a rule'],
    ],
    [
      'a base chain with an invalid rule',
      `table ip t {\n${BASE.replace('jump a', 'comment')}}`,
      ['ip t', 'b*:'],
      [],
      ['4 cutLine: expected a rule'],
    ],
    [
      'a set with invalid elements',
      'table ip t {\n set s {\n  type mark\n  elements = { 1,\n   2 what,\n   "a, b", 3, }\n }\n}',
      ['ip t', 'set s: 0x00000001 "a, b" 0x00000003'],
      [],
      ['5 cutLine: expected an element'],
    ],
    [
      'a set with a truncated line',
      'table ip t {\n set s {\n  type mark\n  elements = { 1, 2,\n   3, 4\n',
      ['ip t', 'set s: 0x00000001 0x00000002 0x00000003'],
      [],
      ['5 cutLine: the line is truncated within its last element'],
    ],
    [
      'a set that is truncated after a comma',
      'table ip t {\n set s {\n  type mark\n  elements = { 1, 2,\n',
      ['ip t', 'set s: 0x00000001 0x00000002'],
      [],
    ],
    [
      'a set without its type',
      'table ip t {\n set s {\n  elements = { 1 }\n }\n}',
      ['ip t'],
      [],
      ['2 cutLine: the set has no type'],
    ],
    [
      'an invalid map',
      'table ip t {\n map m {\n  type mark : mark\n  what\n }\n}',
      ['ip t'],
      [],
      ['2 cutLine: the map has no type'],
    ],
    ['a counter', 'table ip t {\n counter k {\n  packets 1 bytes 2\n }\n}', ['ip t', 'k'], ['']],
    [
      'an invalid counter',
      'table ip t {\n counter k {\n  packets 1\n }\n}',
      ['ip t'],
      [],
      ['2 cutLine: this counter cannot be read'],
    ],
    [
      'two chains with the same name',
      `table ip t {\nchain x {\n}\nchain a {\n drop\n…\n}\n${A.replace('drop', 'accept')}${A}chain z {\n}\n}`,
      ['ip t', 'x:', 'a: accept', 'z:'],
      ['ip t chain x', 'ip t chain a', 'ip t chain z'],
    ],
    [
      'a chain of a known table',
      'chain services {\n drop\n}',
      ['ip kube-proxy', 'services: drop'],
      ['ip kube-proxy chain services'],
      ['1 assumedTable: no line names the table of services; it is assumed to be ip kube-proxy'],
    ],
    [
      'a chain of IPv6 of a known table',
      'chain services {\n ip6 daddr fd00::1 drop\n}',
      ['ip6 kube-proxy', 'services: ip6 daddr fd00::1 drop'],
      ['ip6 kube-proxy chain services'],
      ['1 assumedTable: no line names the table of services; it is assumed to be ip6 kube-proxy'],
    ],
    [
      'a map of IPv6 of a known table',
      'map service-ips {\n type ipv6_addr : verdict\n}',
      ['ip6 kube-proxy', 'map service-ips:'],
      ['ip6 kube-proxy set service-ips'],
      ['1 assumedTable: no line names the table of service-ips; it is assumed to be ip6 kube-proxy'],
    ],
    ['a chain without a table', A, [], [], ['1 strayLine: the table of this chain is unknown']],
    ['a chain that was requested', `$ nft list chain ip6 t a\n${A}`, ['ip6 t', 'a: drop'], ['ip6 t chain a']],
    [
      'a chain of a table that was requested',
      `$ nft list table inet t\n${A}`,
      ['inet t', 'a: drop'],
      ['inet t chain a'],
    ],
    [
      'a map that was requested',
      '$ nft list map ip t m\nmap m {\n type mark : mark\n}',
      ['ip t', 'map m:'],
      ['ip t set m'],
    ],
    ['a chain from a search', `$ nft list table ip t | grep\n${A}`, ['ip t', 'a: drop'], []],
    [
      'a chain requested from an unknown tool',
      `$ nft list table t\n${A}`,
      [],
      [],
      ['2 strayLine: the table of this chain is unknown'],
    ],
    [
      'a chain requested from family arp',
      `$ nft list table arp t\n${A}`,
      [],
      [],
      ['2 strayLine: the table of this chain is unknown'],
    ],
    [
      'a chain requested from an unknown table',
      `$ nft list table ip |t\n${A}`,
      [],
      [],
      ['2 strayLine: the table of this chain is unknown'],
    ],
    [
      'a chain requested from another tool',
      `$ cat table ip t\n${A}`,
      [],
      [],
      ['2 strayLine: the table of this chain is unknown'],
    ],
  ])('has the expected list of complete parts: %s', (_, text, tables, whole, left = []) => {
    expect(read(text)).toEqual({ tables, whole, left })
  })

  it('is IPv6 if the caller requests IPv6 and no line is specific to IPv4', () => {
    const of = (rule: string) => read(`chain services {\n ${rule}\n}`, { family: 'IPv6' }).tables[0]
    expect(['drop', 'ip saddr 10.0.0.1 drop', 'ip daddr 10.0.0.1 drop', 'ip ttl 5 drop'].map(of)).toEqual([
      'ip6 kube-proxy',
      'ip kube-proxy',
      'ip kube-proxy',
      'ip6 kube-proxy',
    ])
    const set = 'map service-ips {\n type ipv4_addr : verdict\n}'
    expect(read(set, { family: 'IPv6' }).tables[0]).toBe('ip kube-proxy')
  })

  it.each([
    ['ip', ['IPv4']],
    ['ip6', ['IPv6']],
    ['inet', ['IPv4', 'IPv6']],
    ['bridge', ['IPv4', 'IPv6']],
  ])('with a table of family %s belongs to %j', (family, families) => {
    const { states } = nftablesPasteReader.read(linesOf(`table ${family} t {\n}`), HINTS)
    expect(Object.keys(states)).toEqual(families)
  })

  it('causes at most a hundred problems', () => {
    expect(read('what\n'.repeat(200)).left).toHaveLength(100)
  })
})

describe('a line in an excerpt of nftables output', () => {
  it.each([
    ['table ip t {', true],
    ['table t {', true],
    ['table netdev t{ # handle 5', true],
    ['chain a {', true],
    ['ct helper h {', true],
    ['map service-ips { # why', true],
    ['chain a', false],
    ['chain a { drop }', false],
    ['a table t {', false],
    ['my chain a {', false],
    ['table ip t { }', false],
    ['what a {', false],
    ['chain a b {', false],
  ])('is recognized as the head of a block: "%s", %s', (line, begins) => {
    expect(isBlockStart(line)).toBe(begins)
    expect(nftablesPasteReader.begins(line, undefined) !== undefined).toBe(begins)
  })

  it.each([
    ['', 0],
    ['chain a {', 1],
    ['}', -1],
    ['{ { } ', 1],
    ['log prefix "{" { # }', 1],
    ['log prefix "#" { "}"', 1],
    ['a#{', 1],
    ['} # {', -1],
  ])('changes the brace depth: %j changes it by %i', (line, count) => {
    expect(countBraceBalance(line)).toBe(count)
  })

  it.each<readonly [readonly string[], number]>([
    [['table ip t {', 'chain a {', 'whatever', '}', '}'], 5],
    [['table ip t {', '}', 'what'], 2],
    [['table ip t {', '}', '', 'table ip u {', 'what', '}', 'what'], 6],
    [['chain a {', '}', 'chain b {', '}', '}', '', 'what'], 6],
    [['chain a {', 'ip saddr {', '10.0.0.1 }', 'what', '}', '{'], 5],
  ])('continues the block until its last line: %j', (lines, count) => {
    const [first = '', ...rest] = lines
    let next: LineContinuation | undefined = nftablesPasteReader.begins(first, undefined)
    let taken = 0
    for (const line of [...rest, 'what']) {
      taken++
      next = next?.(line)
      if (next === undefined) break
    }
    expect(taken).toBe(count)
  })
})

describe('the family of a chain without a table', () => {
  const truncatedOf = (text: string) => {
    const { coverage, states } = nftablesPasteReader.read(linesOf(text), HINTS)
    const families = Object.values(states).flatMap(({ tables }) => tables.map((table) => table.family))
    return { families, truncated: Object.values(coverage)[0]?.truncated }
  }

  it('is certain if a line of the chain shows it', () => {
    expect(truncatedOf('chain services {\n ip daddr 10.96.0.1 drop\n}')).toEqual({ families: ['ip'], truncated: [] })
  })

  it.each([
    ['10.244.1.5/8080', 'ip'],
    ['fd00.10.244.1..5/8080', 'ip6'],
    ['fd00.10.244.1.2.3.4.5/8080', 'ip6'],
  ])('is certain if the name of an endpoint chain shows it: %s', (endpoint, family) => {
    const jump = `goto endpoint-4QWLB4SJ-shop/web/tcp/http__${endpoint}`
    expect(truncatedOf(`chain services {\n ${jump}\n}`)).toEqual({ families: [family], truncated: [] })
  })

  it('is assumed to be the family of other such chains', () => {
    expect(truncatedOf('map service-ips {\n type ipv6_addr : verdict\n}\nchain services {\n drop\n}')).toEqual({
      families: ['ip6'],
      truncated: ['nftables ip6 kube-proxy chain services'],
    })
  })
})

describe('lines that are missing without a mark', () => {
  const truncated = (text: string) =>
    Object.values(nftablesPasteReader.read(linesOf(text), HINTS).coverage)[0]?.truncated.map((id) =>
      id.replace('nftables ip ', ''),
    )
  const chain = (name: string) => `chain ${name} {\n ip daddr 10.96.0.1 drop\n}\n`
  const whole = `table ip t {\n${chain('a')}}\n`

  it.each([
    ['a chain that begins within another one', `table ip t {\nchain a {\n drop\n${chain('b')}`],
    ['the closing brace of a table without its first line', `${whole}}\n${chain('b')}`],
    ['a table within another one', `table ip t {\n${chain('a')}${whole}`],
    ['elements of a set in a chain', `table ip t {\nchain a {\n elements = { 1 }\n}\n`],
    ['elements that end without their beginning', `table ip t {\nset a {\n type mark\n1, 2 }\n}\n`],
    ['a comment of a set in a chain', `table ip t {\nchain a {\n drop\ncomment "c"\n}\n`],
    ['the type of a base chain after other rules', `table ip t {\nchain a {\n drop\ntype filter hook input\n}\n`],
    ['the size of a set in a chain', `table ip t {\nchain a {\n drop\n size 65535\n}\n`],
    ['a rule in a set', `table ip t {\nset a {\n type mark\n ct state new jump b\n}\n`],
    ['a rule in a map', `table ip t {\nmap a {\n ct state new jump b\n}\n`],
    ['two types in a set', `table ip t {\nset a {\n type mark\n flags timeout\n type mark\n}\n`],
    ['a rule in no chain', `table ip t {\n drop\n${chain('a')}`],
  ])('in two places may be missing in every part: %s', (_, text) => {
    const twice = `${text}${whole}}\n${whole}`
    const once = `${text}---\n${whole}`
    expect(truncated(`${twice}${chain('z')}`)).toContain('t chain a')
    expect(truncated(once)).toEqual([])
  })

  it.each(['limit rate 10/second burst 5 packets', 'quota 25 mbytes', 'ct count over 2', 'counter', 'last'])(
    'are not suggested by a statement that the elements of a set inherit: %s',
    (statement) => {
      const set = `set s {\n type mark\n size 65535\n flags dynamic\n ${statement}\n}\n`
      expect(truncated(`table ip t {\n${set}${set}${whole.slice('table ip t {\n'.length)}???\n`)).toEqual([])
    },
  )

  it('are suggested by lines of a table that are outside every table, but not by other text', () => {
    expect(truncated(`${whole}!type filter hook input\n!drop\n${chain('services')}`)).toEqual([
      't chain a',
      'kube-proxy chain services',
    ])
    expect(truncated(`${whole}???\n!lorem ipsum\n${chain('services')}`)).toEqual([])
  })

  it('may be anywhere in this output, but not in another one', () => {
    const torn = `${whole}}\n}\n`
    expect(truncated(torn)).toEqual(['t chain a'])
    expect(truncated(`${torn}---\n${whole}`)).toEqual([])
  })

  it('are not counted after a mark', () => {
    expect(truncated(`${whole}…\n}\n}\n`)).toEqual([])
  })
})

describe('a part after omitted text', () => {
  const families = (text: string) => {
    const { states, coverage } = nftablesPasteReader.read(linesOf(text), HINTS)
    return {
      families: Object.values(states).flatMap(({ tables }) =>
        tables.flatMap(({ family, chains }) => chains.map(({ name }) => `${family} ${name}`)),
      ),
      truncated: Object.values(coverage)[0]?.truncated,
    }
  }

  it('is of the family that its lines show', () => {
    expect(families('table ip t {\n…\nchain a {\n ip6 daddr fd00::1 drop\n}\n')).toEqual({
      families: ['ip6 a'],
      truncated: [],
    })
  })

  it('is of an assumed family if its lines show none', () => {
    expect(families('table ip t {\n…\nchain a {\n drop\n}\n')).toEqual({
      families: ['ip a'],
      truncated: ['nftables ip t chain a'],
    })
    expect(families('table inet t {\n…\nchain a {\n ip6 daddr fd00::1 drop\n}\n').families).toContain('inet a')
  })
})

describe('an element of a set', () => {
  it.each(['. tcp . 80', '/tcp/http . tcp . 80', '10.0.0.2 . /tcp . 80', '@a . tcp . 80', '.244.1.5 . tcp . 80'])(
    'does not begin with %s',
    (element) => {
      const set = `set s {\n type ipv4_addr . inet_proto . inet_service\n elements = { 10.0.0.1 . tcp . 80, ${element} }\n}\n`
      expect(read(`table ip t {\n${set}}`).tables[1]).toMatch(/^set s: 10\.0\.0\.1 \. tcp \. 80$/)
    },
  )
})
