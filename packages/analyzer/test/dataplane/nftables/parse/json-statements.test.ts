import { describe, expect, it } from 'vitest'
import { parseJsonStatements } from '../../../../src/dataplane/nftables/parse/json-statements.js'
import type { Json } from '../../../../src/dataplane/nftables/parse/json-values.js'

const meta = (key: string) => ({ meta: { key } })
const ct = (key: string) => ({ ct: { key } })
const payload = (protocol: string, field: string) => ({ payload: { protocol, field } })
const match = (op: string, left: Json, right: Json) => ({ match: { op, left, right } })
const numgen = { numgen: { mode: 'inc', mod: 2 } }
const lots = (set: Json): Json => ({ map: { key: numgen, data: { set } } })
const mangle = (value: Json, key: Json = meta('mark')): Json => ({ mangle: { key, value } })
const update = (elem: Json, op = 'add', set: Json = '@s'): Json => ({ set: { op, elem, set } })

const SADDR = { kind: 'payload', protocol: 'ip', field: 'saddr' }
const MARK = { kind: 'meta', key: 'mark' }
const DPORT = { kind: 'payload', protocol: 'th', field: 'dport' }
const NUMGEN = { kind: 'numgen', mode: 'inc', mod: 2, offset: 0 }
const saddr = payload('ip', 'saddr')
const dport = payload('th', 'dport')

const value = (text: string) => ({ kind: 'value', value: text })
const matched = (left: object, operator: string, right: object) => ({ kind: 'match', left: [left], operator, right })
const markMatch = (mask: number, operator: string, bits: number) => ({
  kind: 'markMatch',
  mask,
  operator,
  value: bits,
})

describe('parseJsonStatements', () => {
  it.each<readonly [string, Json, unknown]>([
    ['a verdict', { goto: { target: 'a' } }, { kind: 'goto', chain: 'a' }],
    ['a counter', { counter: { packets: 1, bytes: 2 } }, { kind: 'counter', packets: 1, bytes: 2 }],
    ['a counter by name', { counter: 'k' }, { kind: 'namedCounter', name: 'k' }],

    ['a match', match('==', saddr, '10.0.0.1'), matched(SADDR, '==', value('10.0.0.1'))],
    ['a negated match', match('!=', saddr, '10.0.0.1'), matched(SADDR, '!=', value('10.0.0.1'))],
    ...['<', '>', '<=', '>='].map((op): [string, Json, unknown] => [
      `an ordering`,
      match(op, dport, 80),
      matched(DPORT, op, value('80')),
    ]),
    ['a match with a set', match('==', saddr, '@known'), matched(SADDR, '==', { kind: 'named', set: 'known' })],
    [
      'a match of a concatenation with a set',
      match('!=', saddr, { set: ['10.0.0.2', { prefix: { addr: '10.1.0.0', len: 16 } }] }),
      matched(SADDR, '!=', { kind: 'anonymous', keys: ['10.0.0.2', '10.1.0.0/16'] }),
    ],
    [
      'a match of several selectors',
      match('==', { concat: [saddr, meta('mark')] }, { concat: ['10.0.0.1', 5] }),
      { kind: 'match', left: [SADDR, MARK], operator: '==', right: value('10.0.0.1 . 0x00000005') },
    ],
    [
      'a fib',
      match('==', { fib: { flags: ['saddr', 'iif'], result: 'oif' } }, false),
      {
        kind: 'match',
        left: [{ kind: 'fib', flags: ['saddr', 'iif'], result: 'oif' }],
        operator: '==',
        right: value('missing'),
      },
    ],
    ['a random number', match('==', numgen, 0), matched(NUMGEN, '==', value('0'))],
    [
      'a random number with an offset',
      match('==', { numgen: { mode: 'random', mod: 3, offset: 5 } }, 6),
      matched({ kind: 'numgen', mode: 'random', mod: 3, offset: 5 }, '==', value('6')),
    ],

    [
      'a match on one of several flags',
      match('in', ct('state'), ['new', 'related']),
      matched({ kind: 'ct', key: 'state' }, '==', value('new,related')),
    ],
    [
      'a match on one flag',
      match('in', ct('status'), 'dnat'),
      matched({ kind: 'ct', key: 'status' }, '==', value('dnat')),
    ],
    [
      'a negated match on one flag',
      match('!=', ct('state'), 'new'),
      matched({ kind: 'ct', key: 'state' }, '!=', value('new')),
    ],
    [
      'states of a set',
      match('==', ct('state'), { set: ['new'] }),
      matched({ kind: 'ct', key: 'state' }, '==', { kind: 'anonymous', keys: ['new'] }),
    ],
    ['a conntrack mark', match('==', ct('mark'), 5), matched({ kind: 'ct', key: 'mark' }, '==', value('0x00000005'))],

    ['a mark', match('==', meta('mark'), 5), markMatch(0xffffffff, '==', 5)],
    ['a mark that differs', match('!=', meta('mark'), 5), markMatch(0xffffffff, '!=', 5)],
    ['a mark by its name', match('==', meta('mark'), 'web'), matched(MARK, '==', value('web'))],
    [
      'a mark with this prefix',
      match('==', meta('mark'), { prefix: { addr: 0x12000000, len: 8 } }),
      markMatch(0xff000000, '==', 0x12000000),
    ],
    ['a mark of one bit', match('==', meta('mark'), { prefix: { addr: 0, len: 1 } }), markMatch(0x80000000, '==', 0)],
    [
      'a mark with a prefix of length 0',
      match('==', meta('mark'), { prefix: { addr: 0, len: 0 } }),
      markMatch(0, '==', 0),
    ],
    [
      'marks of a range',
      match('==', meta('mark'), { range: [5, 6] }),
      matched(MARK, '==', value('0x00000005-0x00000006')),
    ],
    ['a match on the order of marks', match('<', meta('mark'), 5), matched(MARK, '<', value('0x00000005'))],
    ['marks of a set', match('==', meta('mark'), '@s'), matched(MARK, '==', { kind: 'named', set: 's' })],
    ['bits of a mark', match('==', { '&': [meta('mark'), 0x4000] }, 0x4000), markMatch(0x4000, '==', 0x4000)],
    ['no bits of a mark', match('!=', { '&': [meta('mark'), 0x4000] }, 0), markMatch(0x4000, '!=', 0)],

    ['a map', { vmap: { key: saddr, data: '@m' } }, { kind: 'vmap', key: [SADDR], map: { kind: 'named', set: 'm' } }],
    [
      'an inline map',
      { vmap: { key: meta('mark'), data: { set: [[5, { drop: null }]] } } },
      {
        kind: 'vmap',
        key: [MARK],
        map: { kind: 'anonymous', elements: [{ key: '0x00000005', verdict: { kind: 'drop' } }] },
      },
    ],

    ['a new mark', mangle(5), { kind: 'markSet', operation: 'set', value: 5 }],
    ['a mark with bits', mangle({ '|': [meta('mark'), 5] }), { kind: 'markSet', operation: 'or', value: 5 }],
    ['a mark with other bits', mangle({ '^': [meta('mark'), 5] }), { kind: 'markSet', operation: 'xor', value: 5 }],
    ['a mark with fewer bits', mangle({ '&': [meta('mark'), 5] }), { kind: 'markSet', operation: 'and', value: 5 }],

    ['masquerade', { masquerade: null }, { kind: 'masquerade', fullyRandom: false }],
    ['masquerade at random', { masquerade: { flags: 'fully-random' } }, { kind: 'masquerade', fullyRandom: true }],
    ['masquerade with a list', { masquerade: { flags: ['fully-random'] } }, { kind: 'masquerade', fullyRandom: true }],

    ['dnat', { dnat: { addr: '10.0.0.1' } }, { kind: 'dnat', to: { kind: 'address', address: '10.0.0.1' } }],
    [
      'dnat to the last port',
      { dnat: { port: 65535, addr: 'fd00::1', family: 'ip6' } },
      { kind: 'dnat', family: 'ip6', to: { kind: 'address', address: 'fd00::1', port: 65535 } },
    ],
    [
      'dnat to no port',
      { dnat: { addr: '10.0.0.1', port: 0 } },
      { kind: 'dnat', to: { kind: 'address', address: '10.0.0.1', port: 0 } },
    ],
    [
      'dnat to one of several',
      {
        dnat: {
          family: 'ip',
          addr: lots([
            [0, '10.0.0.1'],
            [1, '10.0.0.2'],
          ]),
        },
      },
      {
        kind: 'dnat',
        family: 'ip',
        to: {
          kind: 'map',
          key: [NUMGEN],
          elements: [
            { key: '0', data: '10.0.0.1' },
            { key: '1', data: '10.0.0.2' },
          ],
        },
      },
    ],
    [
      'dnat to a port of one of several',
      { dnat: { addr: lots([[0, { concat: ['10.0.0.1', 80] }]]) } },
      { kind: 'dnat', to: { kind: 'map', key: [NUMGEN], elements: [{ key: '0', data: '10.0.0.1 . 80' }] } },
    ],

    ['reject', { reject: null }, { kind: 'reject' }],
    ['reject a connection', { reject: { type: 'tcp reset' } }, { kind: 'reject', with: 'tcp reset' }],
    [
      'reject with words',
      { reject: { expr: 'admin-prohibited', type: 'icmpx' } },
      { kind: 'reject', with: 'icmpx admin-prohibited' },
    ],

    ['an update', update(saddr, 'update'), { kind: 'setUpdate', operation: 'update', set: 's', key: [SADDR] }],
    ['an addition', update(saddr, 'add', 's'), { kind: 'setUpdate', operation: 'add', set: 's', key: [SADDR] }],
    ['a deletion', update(saddr, 'delete'), { kind: 'setUpdate', operation: 'delete', set: 's', key: [SADDR] }],
    [
      'an addition with a timeout',
      update({ elem: { timeout: 5, val: { concat: [saddr, dport] } } }),
      { kind: 'setUpdate', operation: 'add', set: 's', key: [SADDR, DPORT], timeout: 5000 },
    ],
    [
      'an addition in an object',
      update({ elem: { val: saddr } }),
      { kind: 'setUpdate', operation: 'add', set: 's', key: [SADDR] },
    ],
  ])('parses a statement: %s', (_, json, statement) => {
    const read = parseJsonStatements([json])
    expect(read).toStrictEqual([statement])
    expect(JSON.stringify(read)).toBe(JSON.stringify([statement]))
  })

  it.each<readonly [string, Json]>([
    ['text instead of an object', 'drop'],
    ['null', null],
    ['a list', [{ drop: null }]],
    ['an empty object', {}],
    ['an unknown statement', { what: { op: '==', left: saddr, right: '10.0.0.1' } }],
    ['an empty counter', { counter: null }],
    ['a counter without bytes', { counter: { bytes: 2 } }],
    ['an empty match', { match: null }],
    ['a match without a left side', { match: { op: '==', right: 5 } }],
    ['a match without a right side', { match: { op: '==', left: saddr } }],
    ['a match without an operator', { match: { left: saddr, right: '10.0.0.1' } }],
    ['a match with another operator', match('~', saddr, '10.0.0.1')],
    ['a flag match on a selector without flags', match('in', saddr, '10.0.0.1')],
    ['a match on all of several flags', match('==', ct('state'), ['new', 'related'])],
    ['flags of several parts', match('in', { concat: [ct('state'), saddr] }, ['new'])],
    ['a match on flags of a mark', match('in', ct('mark'), 5)],
    ['flags that are not texts', match('in', ct('state'), [5])],
    ['keys with a verdict', match('==', saddr, { set: [['10.0.0.1', { drop: null }]] })],
    ['keys with a comment', match('==', saddr, { set: [{ elem: { val: '10.0.0.1', comment: 'x' } }] })],
    ['invalid keys', match('==', saddr, { set: [null] })],
    [
      'a concatenation with an unknown component',
      match('==', { concat: [saddr, payload('ip', 'what')] }, { concat: ['10.0.0.1', 5] }),
    ],
    ['an unknown field', match('==', payload('ip', 'what'), 5)],
    ['a field without a protocol', match('==', { payload: { field: 'saddr' } }, 5)],
    ['a protocol without a field', match('==', { payload: { protocol: 'ip' } }, 5)],
    ['meta without a key', match('==', { meta: {} }, 5)],
    ['ct without a key', match('==', { ct: {} }, 5)],
    ['a conntrack field of one direction', match('==', { ct: { key: 'mark', dir: 'original' } }, 5)],
    ['fib without flags', match('==', { fib: { result: 'oif' } }, true)],
    ['fib without a result', match('==', { fib: { flags: ['saddr'] } }, true)],
    ['numgen without a mode', match('==', { numgen: { mod: 2 } }, 0)],
    ['numgen with another mode', match('==', { numgen: { mode: 'x', mod: 2 } }, 0)],
    ['fib with another flag', match('==', { fib: { flags: ['saddr', 'x'], result: 'oif' } }, 0)],
    ['text in a concatenation', match('==', { concat: [saddr, 'iif mark'] }, { concat: ['10.0.0.1', 5] })],
    ['numgen without a number', match('==', { numgen: { mode: 'inc' } }, 0)],
    ['an unsupported packet field', match('==', { osf: { key: 'name' } }, 'x')],
    ['bits of another field', match('==', { '&': [ct('mark'), 5] }, 5)],
    ['bits without a number', match('==', { '&': [meta('mark'), 'x'] }, 5)],
    ['bits that are not numbers', match('==', { '&': [meta('mark'), 5] }, 'x')],
    ['bits with an order comparison', match('<', { '&': [meta('mark'), 5] }, 5)],
    ['bits of several parts', match('==', { '&': [{ concat: [meta('mark'), saddr] }, 5] }, 5)],
    ['an empty map', { vmap: null }],
    ['a map without a key', { vmap: { data: '@m' } }],
    ['a map without data', { vmap: { key: saddr } }],
    ['a map with invalid data', { vmap: { key: saddr, data: 'm' } }],
    ['a map with an invalid element', { vmap: { key: saddr, data: { set: [null] } } }],
    ['a mark without a value', { mangle: null }],
    ['a modified field other than a mark', mangle(5, ct('mark'))],
    ['a mark from a text', mangle('5')],
    ['a mark from another field', mangle({ '|': [ct('mark'), 5] })],
    ['a mark with bits that are not a number', mangle({ '|': [meta('mark'), '5'] })],
    ['a mark with another sign', mangle({ '<<': [meta('mark'), 5] })],
    ['a mark with a sign and no list', mangle({ '|': 5 })],
    ['masquerade with two flags', { masquerade: { flags: ['fully-random', 'persistent'] } }],
    ['masquerade with another flag', { masquerade: { flags: 'random' } }],
    ['masquerade with a port', { masquerade: { flags: 'fully-random', port: 80 } }],
    ['masquerade without a list', { masquerade: 5 }],
    ['dnat to nothing', { dnat: null }],
    ['dnat without an address', { dnat: { port: 80 } }],
    ['dnat to a name', { dnat: { addr: 'web' } }],
    ['dnat of another family', { dnat: { addr: '10.0.0.1', family: 'inet' } }],
    ['dnat with flags', { dnat: { addr: '10.0.0.1', flags: 'random' } }],
    ['dnat to a port above the last', { dnat: { addr: '10.0.0.1', port: 65536 } }],
    ['dnat to a port below the first', { dnat: { addr: '10.0.0.1', port: -1 } }],
    ['dnat to half a port', { dnat: { addr: '10.0.0.1', port: 0.5 } }],
    ['dnat to a port by name', { dnat: { addr: '10.0.0.1', port: 'http' } }],
    ['dnat to one of several and a port', { dnat: { addr: lots([[0, '10.0.0.1']]), port: 80 } }],
    ['dnat to none', { dnat: { addr: lots([]) } }],
    ['dnat by a named map', { dnat: { addr: { map: { key: numgen, data: '@m' } } } }],
    ['dnat by a map without a key', { dnat: { addr: { map: { data: { set: [[0, '10.0.0.1']] } } } } }],
    ['dnat by no map', { dnat: { addr: { map: 5 } } }],
    [
      'dnat with inconsistent ports',
      {
        dnat: {
          addr: lots([
            [0, '10.0.0.1'],
            [1, { concat: ['10.0.0.2', 80] }],
          ]),
        },
      },
    ],
    ['dnat to three parts', { dnat: { addr: lots([[0, { concat: ['10.0.0.1', 80, 5] }]]) } }],
    ['dnat to keys alone', { dnat: { addr: lots([0, 1]) } }],
    ['reject without a value', { reject: {} }],
    ['reject with a text', { reject: 'tcp reset' }],
    ['another operation on a set', update(saddr, 'what')],
    ['an update without a set', update(saddr, 'add', null)],
    ['an update with a limit', { set: { op: 'add', elem: saddr, set: '@s', stmt: [{ limit: 'l' }] } }],
    ['an update without a value', update(null)],
    ['an update with a comment', update({ elem: { val: saddr, comment: 'x' } })],
    ['an update without a key', update({ elem: { timeout: 5 } })],
  ])('keeps a statement unchanged: %s', (_, json) => {
    expect(parseJsonStatements([json])).toStrictEqual([{ kind: 'unknownJson', json: JSON.stringify(json) }])
  })

  it('keeps the order of several statements', () => {
    expect(parseJsonStatements([{ drop: null }, 5, { accept: null }]).map(({ kind }) => kind)).toEqual([
      'drop',
      'unknownJson',
      'accept',
    ])
  })
})
