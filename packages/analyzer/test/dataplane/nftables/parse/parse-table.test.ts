import { describe, expect, it } from 'vitest'
import { parseNftables } from '../../../../src/dataplane/nftables/parse/parse.js'
import { parseNftablesJson } from '../../../../src/dataplane/nftables/parse/parse-json.js'
import { parseCommands } from '../../../support/parse-commands.js'

/** Expects exactly this value, with the same key order. */
function expectExactly(read: unknown, expected: unknown): void {
  expect(read).toStrictEqual(expected)
  expect(JSON.stringify(read)).toBe(JSON.stringify(expected))
}

const AT = { family: 'ip', table: 't' }
const EMPTY = { chains: [], sets: [], objects: [] }
const MARKS = { kind: 'type', types: ['mark'] }

describe('a table in nft text', () => {
  const read = (text: string) => {
    const parsed = parseNftables(text)
    return parsed.ok ? parsed.value : parsed.problems
  }

  it('has an element and an object once, also if the text repeats them', () => {
    const text =
      'table ip t {\n\tset s {\n\t\ttype mark\n\t\telements = { 1, 2, 1 }\n\t}\n' +
      '\tcounter c {\n\t\tpackets 1 bytes 2\n\t}\n\tcounter c {\n\t\tpackets 3 bytes 4\n\t}\n}\n'
    const elements = [{ key: '0x00000001' }, { key: '0x00000002' }]
    const sets = [{ kind: 'set', name: 's', key: MARKS, elements }]
    const objects = [{ kind: 'counter', name: 'c', packets: 3, bytes: 4 }]
    expectExactly(read(text), [{ family: 'ip', name: 't', chains: [], sets, objects }])
  })

  it('keeps its place among tables that commands add or change', () => {
    const text =
      'table ip a {\n}\nadd table ip b\nadd chain ip a c\ntable ip d {\n}\ndelete table ip d\ntable ip e {\n}\n'
    expectExactly(read(text), [
      { family: 'ip', name: 'a', ...EMPTY, chains: [{ name: 'c', rules: [] }] },
      { family: 'ip', name: 'b', ...EMPTY },
      { family: 'ip', name: 'e', ...EMPTY },
    ])
  })

  it('contains everything from the text, in the same order', () => {
    const text = `table inet t { # handle 1
	flags dormant, owner
	comment "why" # not this
	chain c { # handle 2
		drop comment "it" # handle 3
		comment "is"
		type filter hook ingress devices = {
			"lo",
			eth0
		} priority filter - 5; policy drop;
		; accept
	}
	set s { # handle 4
		comment "so"
		counter
		auto-merge
		policy memory
		size 7
		gc-interval 30s
		timeout 1m
		flags interval, timeout
		type mark . inet_proto
		elements = {
			5 . 6 counter packets 1 bytes 2 timeout 4s expires 3s comment "x",
			# nothing
			6 . udp,
		}
	}
	map m {
		typeof ip saddr . meta mark : meta mark . ip daddr
	}
	counter k { # handle 5
		comment "there"
		packets 1 bytes 2
	}
	quota q { # handle 6
		over 5 mbytes ; used 1 mbytes
	}
	ct helper h {
	}
}
`
    expectExactly(read(text), [
      {
        family: 'inet',
        name: 't',
        flags: ['dormant', 'owner'],
        comment: 'why',
        handle: 1,
        chains: [
          {
            name: 'c',
            base: { type: 'filter', hook: 'ingress', devices: ['lo', 'eth0'], priority: -5, policy: 'drop' },
            comment: 'is',
            rules: [{ statements: [{ kind: 'drop' }], comment: 'it', handle: 3 }, { statements: [{ kind: 'accept' }] }],
            handle: 2,
          },
        ],
        sets: [
          {
            kind: 'set',
            name: 's',
            key: { kind: 'type', types: ['mark', 'inet_proto'] },
            comment: 'so',
            counts: true,
            autoMerge: true,
            policy: 'memory',
            size: 7,
            gcInterval: 30_000,
            timeout: 60_000,
            flags: ['interval', 'timeout'],
            handle: 4,
            elements: [
              {
                key: '0x00000005 . tcp',
                counter: { packets: 1, bytes: 2 },
                timeout: 4000,
                expires: 3000,
                comment: 'x',
              },
              { key: '0x00000006 . udp' },
            ],
          },
          {
            kind: 'map',
            name: 'm',
            key: { kind: 'typeof', words: ['ip', 'saddr', '.', 'meta', 'mark'] },
            data: ['meta mark', 'ip daddr'],
            elements: [],
          },
        ],
        objects: [
          { kind: 'counter', name: 'k', packets: 1, bytes: 2, comment: 'there', handle: 5 },
          {
            kind: 'unknown',
            type: 'quota',
            name: 'q',
            lines: [
              ['over', '5', 'mbytes'],
              ['used', '1', 'mbytes'],
            ],
            handle: 6,
          },
          { kind: 'unknown', type: 'ct helper', name: 'h', lines: [] },
        ],
      },
    ])
  })

  it('has no optional fields if the text has none', () => {
    expectExactly(read('table t {\n\tchain c {\n\t}\n\tset s {\n\t\ttype mark\n\t}\n\tcounter k {\n\t}\n}\n'), [
      {
        family: 'ip',
        name: 't',
        chains: [{ name: 'c', rules: [] }],
        sets: [{ kind: 'set', name: 's', key: MARKS, elements: [] }],
        objects: [{ kind: 'counter', name: 'k', packets: 0, bytes: 0 }],
      },
    ])
  })

  it.each(['ip', 'ip6', 'inet', 'arp', 'bridge', 'netdev'])('has the family %s', (family) => {
    expectExactly(read(`table ${family} t {\n}\n`), [{ family, name: 't', ...EMPTY }])
    const json = JSON.stringify({ nftables: [{ table: { family, name: 't' } }] })
    expectExactly(parseNftablesJson(json), { ok: true, value: [{ family, name: 't', ...EMPTY }] })
  })

  it.each([
    ['filter', 0],
    ['-110', -110],
    ['+5', 5],
    ['dstnat - 10', -110],
    ['dstnat -10', -110],
    ['raw +300', 0],
  ])('has a chain with the priority %s', (words, priority) => {
    const text = `table ip t {\n\tchain c {\n\t\ttype filter hook input priority ${words}\n\t}\n}\n`
    expect(read(text)).toMatchObject([{ chains: [{ base: { priority } }] }])
  })

  it('contains the comment of a rule, whether it precedes or follows the last statement', () => {
    const rules = 'policy drop\ncomment\\\n "c"\naccept comment word\ndrop # handle x\nreturn # handle 5 6\n'
    expect(read(`table ip t {\n\tchain c {\n${rules}}\n}\n`)).toMatchObject([
      {
        chains: [
          {
            comment: 'c',
            rules: [
              { statements: [{ kind: 'unknown', words: ['policy'] }, { kind: 'drop' }] },
              { statements: [{ kind: 'accept' }], comment: 'word' },
              { statements: [{ kind: 'drop' }] },
              { statements: [{ kind: 'return' }] },
            ],
          },
        ],
      },
    ])
  })
})

describe('a rule with unknown words', () => {
  const read = (rule: string) => {
    const parsed = parseNftables(`table ip t {\n\tchain c {\n\t\t${rule}\n\t}\n}\n`)
    return parsed.ok ? parsed.value[0]?.chains[0]?.rules[0] : undefined
  }
  const unknown = (...words: readonly string[]) => ({ kind: 'unknown', words })

  it.each<readonly [string, unknown]>([
    ['accept', { kind: 'accept' }],
    ['drop', { kind: 'drop' }],
    ['return', { kind: 'return' }],
    ['continue', { kind: 'continue' }],
    ['jump a', { kind: 'jump', chain: 'a' }],
    ['goto a', { kind: 'goto', chain: 'a' }],
    ['reject', { kind: 'reject' }],
    ['masquerade', { kind: 'masquerade', fullyRandom: false }],
    ['counter', { kind: 'counter', packets: 0, bytes: 0 }],
  ])('has unknown words that end at %s', (words, statement) => {
    expect(read(`what ${words}`)).toEqual({ statements: [unknown('what'), statement] })
    expect(read(`what "${words.split(' ')[0]}" drop`)?.statements[0]).toEqual(
      unknown('what', `"${words.split(' ')[0]}"`),
    )
    expect(read(`what { ${words} } drop`)?.statements).toEqual([
      unknown('what', '{', ...words.split(' '), '}'),
      { kind: 'drop' },
    ])
    expect(read(`what"x"${words}`)?.statements).toEqual([unknown(...`what"x"${words}`.split(' '))])
  })

  it.each<readonly [string, unknown]>([
    ['what comment "why"', { statements: [unknown('what')], comment: 'why' }],
    ['what dnat to 10.0.0.1', { statements: [unknown('what', 'dnat', 'to', '10.0.0.1')] }],
    ['what ip saddr 10.0.0.1', { statements: [unknown('what', 'ip', 'saddr', '10.0.0.1')] }],
    ['what "a b" c', { statements: [unknown('what', '"a b"', 'c')] }],
    ['what a,b, c', { statements: [unknown('what', 'a,b,', 'c')] }],
    ['what {a}', { statements: [unknown('what', '{a}')] }],
    ['what {\n\na\n# why\nb,\nc ;\n}', { statements: [unknown('what', '{', 'a', ';', 'b,', 'c', ';', '}')] }],
    ['what { { a } } drop', { statements: [unknown('what', '{', '{', 'a', '}', '}'), { kind: 'drop' }] }],
    ['what \\\n more', { statements: [unknown('what', 'more')] }],
    ['drop # handle 5', { statements: [{ kind: 'drop' }], handle: 5 }],
    ['drop # handle 5  ', { statements: [{ kind: 'drop' }], handle: 5 }],
    ['drop #handle 5', { statements: [{ kind: 'drop' }] }],
    ['drop # handle 5 x', { statements: [{ kind: 'drop' }] }],
    ['drop # a handle 5', { statements: [{ kind: 'drop' }] }],
    ['drop # handle 1234567890123456', { statements: [{ kind: 'drop' }] }],
    ['comment "a" # handle 5', undefined],
    ['ip saddr 10.0.0.1 comment why', { statements: [expect.objectContaining({ kind: 'match' })], comment: 'why' }],
  ])('is parsed: %j', (words, rule) => {
    expect(read(words)).toEqual(rule)
  })
})

describe('an nft command', () => {
  const mark = (key: string) => ({ key })
  const rule = { statements: [{ kind: 'drop' }] }

  it.each<readonly [string, unknown]>([
    ['flush ruleset', { verb: 'flush', object: 'ruleset' }],
    ['flush ruleset arp', { verb: 'flush', object: 'ruleset', family: 'arp' }],
    ['add table t', { ...AT, verb: 'add', object: 'table' }],
    [
      'create table ip t { comment "c" ; flags dormant,owner ; }',
      { ...AT, verb: 'create', object: 'table', comment: 'c', flags: ['dormant', 'owner'] },
    ],
    ['add table ip t { flags dormant ; flags owner ; }', { ...AT, verb: 'add', object: 'table', flags: ['owner'] }],
    ['add table ip t { }', { ...AT, verb: 'add', object: 'table' }],
    ...['flush', 'delete', 'destroy'].map((verb): [string, unknown] => [
      `${verb} table ip t`,
      { ...AT, verb, object: 'table' },
    ]),
    ['add chain ip t c', { ...AT, verb: 'add', object: 'chain', chain: { name: 'c' } }],
    ['create chain ip t c { }', { ...AT, verb: 'create', object: 'chain', chain: { name: 'c' } }],
    [
      'add chain ip t c { comment "c" ; type nat hook input priority srcnat ; policy accept ; }',
      {
        ...AT,
        verb: 'add',
        object: 'chain',
        chain: { name: 'c', base: { type: 'nat', hook: 'input', priority: 100, policy: 'accept' }, comment: 'c' },
      },
    ],
    ...['flush', 'delete', 'destroy'].map((verb): [string, unknown] => [
      `${verb} chain ip t c`,
      { ...AT, verb, object: 'chain', name: 'c' },
    ]),
    [
      'add set ip t s { type mark ; }',
      { ...AT, verb: 'add', object: 'set', set: { kind: 'set', name: 's', key: MARKS } },
    ],
    [
      'create map ip t m { type mark : mark ; size 5 ; elements = { 5 : 6 } ; }',
      {
        ...AT,
        verb: 'create',
        object: 'set',
        set: { kind: 'map', name: 'm', key: MARKS, data: ['mark'], size: 5 },
        elements: [{ key: '0x00000005', data: '0x00000006' }],
      },
    ],
    ...['flush', 'delete', 'destroy'].flatMap((verb) =>
      ['set', 'map'].map((kind): [string, unknown] => [
        `${verb} ${kind} ip t s`,
        { ...AT, verb, object: 'set', kind, name: 's' },
      ]),
    ),
    ...['add', 'create', 'delete', 'destroy'].map((verb): [string, unknown] => [
      `${verb} element ip t s { 5, 6 }`,
      { ...AT, verb, object: 'element', set: 's', elements: [mark('5'), mark('6')] },
    ]),
    ['add element ip t s { }', { ...AT, verb: 'add', object: 'element', set: 's', elements: [] }],
    ['add rule ip t c drop', { ...AT, verb: 'add', object: 'rule', chain: 'c', rule }],
    ['insert rule ip t c drop', { ...AT, verb: 'insert', object: 'rule', chain: 'c', rule }],
    ['insert rule ip t c handle 5 drop', { ...AT, verb: 'insert', object: 'rule', chain: 'c', rule, beside: 5 }],
    ['add rule ip t c position 0 drop', { ...AT, verb: 'add', object: 'rule', chain: 'c', rule, beside: 0 }],
    ['replace rule ip t c handle 5 drop', { ...AT, verb: 'replace', object: 'rule', chain: 'c', handle: 5, rule }],
    ['delete rule ip t c handle 5', { ...AT, verb: 'delete', object: 'rule', chain: 'c', handle: 5 }],
    ['destroy rule ip t c handle 5', { ...AT, verb: 'destroy', object: 'rule', chain: 'c', handle: 5 }],
    [
      'add counter ip t k',
      { ...AT, verb: 'add', object: 'named', definition: { kind: 'counter', name: 'k', packets: 0, bytes: 0 } },
    ],
    [
      'add counter ip t k { }',
      { ...AT, verb: 'add', object: 'named', definition: { kind: 'counter', name: 'k', packets: 0, bytes: 0 } },
    ],
    [
      'create counter ip t k { comment "c" ; packets 1 bytes 2 ; }',
      {
        ...AT,
        verb: 'create',
        object: 'named',
        definition: { kind: 'counter', name: 'k', packets: 1, bytes: 2, comment: 'c' },
      },
    ],
    ...['quota', 'limit', 'flowtable', 'secmark', 'synproxy', 'tunnel', 'ct helper', 'ct timeout'].flatMap(
      (type): [string, unknown][] => [
        [
          `add ${type} ip t q`,
          { ...AT, verb: 'add', object: 'named', definition: { kind: 'unknown', type, name: 'q', lines: [] } },
        ],
        [
          `create ${type} ip t q { a b ; c }`,
          {
            ...AT,
            verb: 'create',
            object: 'named',
            definition: { kind: 'unknown', type, name: 'q', lines: [['a', 'b'], ['c']] },
          },
        ],
        [`delete ${type} ip t q`, { ...AT, verb: 'delete', object: 'named', type, name: 'q' }],
      ],
    ),
    ['destroy counter ip t k', { ...AT, verb: 'destroy', object: 'named', type: 'counter', name: 'k' }],
  ])('is parsed: %s', (text, command) => {
    expectExactly(parseCommands(text), { ok: true, value: [command] })
  })

  it('takes the types of elements only from earlier sets of the same table', () => {
    const text = `add set ip t s { type mark ; }
add map ip u s { type inet_proto : mark ; }
add element ip t s { 6 }
add element ip u s { 6 : 5 }
add element ip6 t s { 6 }
`
    const read = parseCommands(text)
    expect(read.ok && read.value.map((command) => ('elements' in command ? command.elements : []))).toEqual([
      ...[[], []],
      [{ key: '0x00000006' }],
      [{ key: 'tcp', data: '0x00000005' }],
      [{ key: '6' }],
    ])
  })
})

describe('JSON of nft', () => {
  const table = { table: { ...AT, name: 't' } }
  const read = (...nftables: readonly unknown[]) => {
    const parsed = parseNftablesJson(JSON.stringify({ nftables }))
    return parsed.ok ? parsed.value : parsed.problems.map(({ message }) => message)
  }

  it('is parsed with all items in the same order', () => {
    const items = [
      { metainfo: { version: '1.1' } },
      { table: { handle: 1, comment: 'why', flags: 'dormant,owner', name: 't', family: 'ip' } },
      { chain: { ...AT, handle: 2, name: 'c' } },
      { rule: { ...AT, handle: 3, comment: 'it', expr: [{ drop: null }, 5], chain: 'c' } },
      { set: { ...AT, name: 's', type: 'mark', elem: [5] } },
      { map: { ...AT, name: 'm', type: 'mark', map: 'mark' } },
      { rule: { ...AT, chain: 'c', expr: [] } },
      { quota: { ...AT, name: 'q' } },
      { 'ct helper': { ...AT } },
    ]
    expectExactly(read(...items), [
      {
        family: 'ip',
        name: 't',
        flags: ['dormant', 'owner'],
        comment: 'why',
        handle: 1,
        chains: [
          {
            name: 'c',
            handle: 2,
            rules: [
              { statements: [{ kind: 'drop' }, { kind: 'unknownJson', json: '5' }], comment: 'it', handle: 3 },
              { statements: [] },
            ],
          },
        ],
        sets: [
          { kind: 'set', name: 's', key: MARKS, elements: [{ key: '0x00000005' }] },
          { kind: 'map', name: 'm', key: MARKS, data: ['mark'], elements: [] },
        ],
        objects: [{ kind: 'unknown', type: 'quota', name: 'q', lines: [] }],
      },
    ])
  })

  it('may contain no tables, one table or several tables', () => {
    const other = { family: 'ip6', name: 't' }
    expectExactly(read(), [])
    expectExactly(read(table, { table: other }, { chain: { ...AT, family: 'ip6', name: 'c' } }), [
      { family: 'ip', name: 't', ...EMPTY },
      { ...other, ...EMPTY, chains: [{ name: 'c', rules: [] }] },
    ])
  })

  const NOT_PRINTED = 'has a name, word or number that nft does not print'
  it.each<readonly [unknown, string]>([
    [5, 'is not an object'],
    [{}, 'is not an object'],
    [[table], 'is not an object'],
    [{ chain: 5 }, 'has no chain'],
    [{ table: null }, 'has no table'],
    [{ chain: { table: 't', name: 'c' } }, 'does not name its table'],
    [{ chain: { family: 'what', table: 't', name: 'c' } }, 'does not name its table'],
    [{ chain: { family: 'ip', name: 'c' } }, 'does not name its table'],
    [{ table: { family: 'ip', table: 'u' } }, 'does not name its table'],
    [table, 'names a table that already exists'],
    [{ chain: { family: 'ip', table: 'u', name: 'c' } }, 'belongs to a missing table'],
    [{ chain: { ...AT } }, 'is a chain that cannot be read'],
    [{ set: { ...AT, name: 's' } }, 'is a set that cannot be read'],
    [{ map: { ...AT, name: 'm', type: 'mark' } }, 'is a map that cannot be read'],
    [{ rule: { ...AT, chain: 'what', expr: [] } }, 'is a rule of a missing chain'],
    [{ rule: { ...AT, chain: 'c' } }, 'is a rule of a missing chain'],
    [{ rule: { ...AT, expr: [] } }, 'is a rule of a missing chain'],
    [{ table: { family: 'ip', name: 'u v' } }, NOT_PRINTED],
    [{ table: { family: 'ip', name: 'u', comment: 'a"b' } }, NOT_PRINTED],
    [{ chain: { ...AT, name: 'a b' } }, NOT_PRINTED],
    [{ set: { ...AT, name: 's', type: 'a b' } }, NOT_PRINTED],
    [{ rule: { ...AT, chain: 'c', comment: 'a"b', expr: [] } }, NOT_PRINTED],
    [{ rule: { ...AT, chain: 'c', expr: [{ jump: { target: 'a b' } }] } }, NOT_PRINTED],
    [{ rule: { ...AT, chain: 'c', expr: [5, { counter: { packets: 0.5, bytes: 0 } }] } }, NOT_PRINTED],
    [{ quota: { ...AT, name: 'a b' } }, NOT_PRINTED],
  ])('is rejected if it contains %j: %s', (item, message) => {
    expect(read(table, { chain: { ...AT, name: 'c' } }, item)).toEqual([`nftables[2] ${message}`])
  })

  it('is rejected if an expression is nested too deeply', () => {
    const nested = (depth: number) => `${'{"concat":['.repeat(depth)}1${']}'.repeat(depth)}`
    const item = (depth: number) => `{"rule":{"family":"ip","table":"t","chain":"c","expr":[${nested(depth)}]}}`
    const head = [table, { chain: { ...AT, name: 'c' } }].map((each) => JSON.stringify(each))
    const parse = (depth: number) => parseNftablesJson(`{"nftables":[${[...head, item(depth)].join()}]}`)
    const messages = (depth: number) => {
      const parsed = parse(depth)
      return parsed.ok ? [] : parsed.problems.map(({ message }) => message)
    }
    expect(messages(48)).toEqual([])
    for (const depth of [49, 2_500, 20_000]) {
      expect(messages(depth)).toEqual(['nftables[2] is nested too deeply (expected at most 100 levels)'])
    }
  })

  it.each(['{', '5', '[]', '{}', '{"nftables": {}}', 'null'])('is not recognized in %s', (text) => {
    const parsed = parseNftablesJson(text)
    expect(parsed.ok ? [] : parsed.problems).toEqual([
      {
        code: 'invalidJson',
        text: 0,
        line: 1,
        column: 1,
        message: 'this is not JSON of nft: expected an object with the list "nftables"',
        excerpt: expect.stringContaining(`1 | ${text}\n`),
      },
    ])
  })
})
