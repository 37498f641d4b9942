import { describe, expect, it } from 'vitest'
import { jsonStatementToText } from '../../../../src/dataplane/nftables/program/json-text.js'

const SADDR = { payload: { protocol: 'ip', field: 'saddr' } }

describe('a statement in JSON', () => {
  it.each<[string, unknown]>([
    ['notrack', { notrack: null }],
    ['limit name "l"', { limit: 'l' }],
    ['quota name "q"', { quota: 'q' }],
    ['synproxy name "s"', { synproxy: 's' }],
    ['ct timeout set "t"', { 'ct timeout': 't' }],
    ['ct count over 5', { 'ct count': { val: 5, inv: true } }],
    ['quota 5 mbytes', { quota: { val: 5, val_unit: 'mbytes', used: 0, used_unit: 'bytes' } }],
    ['last', { last: { used: 5000 } }],
    ['flow add @f', { flow: { op: 'add', flowtable: '@f' } }],
    ['queue num 1', { queue: { num: 1 } }],
    ['queue flags bypass to 1-3', { queue: { num: { range: [1, 3] }, flags: 'bypass' } }],
    ['queue flags bypass,fanout to 0', { queue: { num: 0, flags: ['bypass', 'fanout'] } }],
    ['log prefix "a b" group 2', { log: { prefix: 'a b', group: 2 } }],
    ['log flags tcp sequence flags tcp options', { log: { flags: ['tcp sequence', 'tcp options'] } }],
    ['dup to 10.0.0.1 device eth0', { dup: { addr: '10.0.0.1', dev: 'eth0' } }],
    ['tproxy ip6 to [::1]:80', { tproxy: { family: 'ip6', addr: '::1', port: 80 } }],
    ['tproxy to :80', { tproxy: { port: 80 } }],
    ['synproxy', { synproxy: { mss: 1460, wscale: 7, flags: ['timestamp', 'sack-perm'] } }],
    ['reset tcp option timestamp', { reset: { 'tcp option': { name: 'timestamp' } } }],
    ['redirect', { redirect: { flags: [] } }],
    ['redirect to :80-90 random', { redirect: { port: { range: [80, 90] }, flags: 'random' } }],
    ['snat ip to 10.0.0.1 persistent', { snat: { family: 'ip', addr: '10.0.0.1', flags: ['netmap', 'persistent'] } }],
    [
      'dnat ip prefix to ip saddr map @m',
      { dnat: { family: 'ip', type_flags: 'prefix', addr: { map: { key: SADDR, data: '@m' } } } },
    ],
    [
      'dnat ip addr . port to ip saddr map @m',
      { dnat: { family: 'ip', type_flags: 'concat', addr: { map: { key: SADDR, data: '@m' } } } },
    ],
    ['dnat to [fd00::1]-[fd00::9]:80', { dnat: { addr: { range: ['fd00::1', 'fd00::9'] }, port: 80 } }],
    [
      'update @s { ip saddr counter last limit rate over 5 }',
      {
        set: {
          op: 'update',
          elem: { elem: { val: SADDR, timeout: 5 } },
          set: '@s',
          stmt: [
            { counter: { packets: 1, bytes: 60 } },
            { last: null },
            { limit: { rate: 5, per: 'second', inv: true } },
          ],
        },
      },
    ],
    ['add @s { ip saddr }', { set: { op: 'add', elem: SADDR, set: '@s' } }],
    ['ct state ! new', { match: { op: '!', left: { ct: { key: 'state' } }, right: 'new' } }],
    [
      'ct state established,new',
      { match: { op: 'in', left: { ct: { key: 'state' } }, right: ['established', 'new'] } },
    ],
    ['meta ipsec missing', { match: { op: 'in', left: { meta: { key: 'ipsec' } }, right: false } }],
    ['meta iifname "a b"', { match: { op: 'in', left: { meta: { key: 'iifname' } }, right: 'a b' } }],
    [
      'ct original ip saddr == 10.0.0.1',
      { match: { op: '==', left: { ct: { key: 'ip saddr', dir: 'original' } }, right: '10.0.0.1' } },
    ],
    [
      'ct reply ip saddr == 10.0.0.1',
      { match: { op: '==', left: { ct: { key: 'saddr', dir: 'reply', family: 'ip' } }, right: '10.0.0.1' } },
    ],
    ['rt ip6 nexthop == ::1', { match: { op: '==', left: { rt: { key: 'nexthop', family: 'ip6' } }, right: '::1' } }],
    [
      'ipsec out ip saddr == 10.0.0.1',
      { match: { op: '==', left: { ipsec: { key: 'saddr', family: 'ip', dir: 'out' } }, right: '10.0.0.1' } },
    ],
    [
      'fib daddr . iif oif == 0',
      { match: { op: '==', left: { fib: { result: 'oif', flags: ['daddr', 'iif'] } }, right: 0 } },
    ],
    ['fib daddr oif == 0', { match: { op: '==', left: { fib: { result: 'oif', flags: 'daddr' } }, right: 0 } }],
    ['socket mark > 5', { match: { op: '>', left: { socket: { key: 'mark' } }, right: 5 } }],
    ['@th,16,16 != 80', { match: { op: '!=', left: { payload: { base: 'th', offset: 16, len: 16 } }, right: 80 } }],
    ['exthdr hbh == exists', { match: { op: '==', left: { exthdr: { name: 'hbh' } }, right: true } }],
    ['rt type == 0', { match: { op: '==', left: { exthdr: { name: 'rt', field: 'type' } }, right: 0 } }],
    ['dccp option 5 == exists', { match: { op: '==', left: { 'dccp option': { type: 5 } }, right: true } }],
    ['numgen inc mod 2 == 0', { match: { op: '==', left: { numgen: { mode: 'inc', mod: 2, offset: 0 } }, right: 0 } }],
    ['symhash mod 2 offset 5 == 5', { match: { op: '==', left: { symhash: { mod: 2, offset: 5 } }, right: 5 } }],
    ['jhash ip saddr mod 2 == 0', { match: { op: '==', left: { jhash: { mod: 2, expr: SADDR } }, right: 0 } }],
    ['meta mark | 1 == 1', { match: { op: '==', left: { '|': [{ meta: { key: 'mark' } }, 1] }, right: 1 } }],
    [
      'tcp flags & (fin|syn) == fin|syn',
      {
        match: {
          op: '==',
          left: { '&': [{ payload: { protocol: 'tcp', field: 'flags' } }, ['fin', 'syn']] },
          right: { '|': ['fin', 'syn'] },
        },
      },
    ],
    [
      'ip saddr == { 10.0.0.0/8, 11.0.0.1-11.0.0.9 }',
      {
        match: {
          op: '==',
          left: SADDR,
          right: { set: [{ prefix: { addr: '10.0.0.0', len: 8 } }, { range: ['11.0.0.1', '11.0.0.9'] }] },
        },
      },
    ],
    [
      'ip saddr . ip ttl vmap { 10.0.0.1 . 5 : drop, 10.0.0.2 . 5 : jump c }',
      {
        vmap: {
          key: { concat: [SADDR, { payload: { protocol: 'ip', field: 'ttl' } }] },
          data: {
            set: [
              [{ concat: ['10.0.0.1', 5] }, { drop: null }],
              [{ elem: { val: { concat: ['10.0.0.2', 5] }, comment: 'x' } }, { jump: { target: 'c' } }],
            ],
          },
        },
      },
    ],
    [
      'meta mark set ip saddr map { 10.0.0.1 : 5 }',
      { mangle: { key: { meta: { key: 'mark' } }, value: { map: { key: SADDR, data: { set: [['10.0.0.1', 5]] } } } } },
    ],
  ])('has the text %s', (text, json) => {
    expect(jsonStatementToText(JSON.stringify(json))).toBe(text)
  })

  const matchOf = (left: unknown, right: unknown = 5, op: unknown = '==') => ({ match: { op, left, right } })
  it.each<[unknown]>([
    [{}],
    ['update @m { ip saddr : tcp dport }'],
    [[{ counter: null }]],
    [{ counter: 5 }],
    [{ other: 'x' }],
    [{ other: { x: 5 } }],
    [{ log: { prefix: 'a"b' } }],
    [{ log: { flags: [5, null] } }],
    [{ limit: { rate: null } }],
    [{ dup: {} }],
    [{ dnat: { addr: { x: 5 }, port: 80 } }],
    [{ dnat: { port: { x: 5 } } }],
    [{ queue: { flags: 'bypass' } }],
    [{ set: { op: 'add', set: '@s', elem: {} } }],
    [{ set: { op: 'add', set: '@s', elem: SADDR, stmt: [{ other: {} }] } }],
    [matchOf(SADDR, 5, '~')],
    [matchOf(SADDR, null)],
    [matchOf(SADDR, {})],
    [matchOf({ other: 5 })],
    [matchOf({ other: {} })],
    [matchOf({ other: [5] })],
    [matchOf({ ct: { key: 5 } })],
    [matchOf({ meta: { key: 'a b' } })],
    [matchOf(SADDR, { set: [[{ elem: {} }, { drop: null }]] })],
    [{ vmap: { key: SADDR, data: { set: [['10.0.0.1', { jump: 5 }]] } } }],
    [{ vmap: { key: SADDR, data: { set: [['10.0.0.1', { other: {} }]] } } }],
    [{ vmap: { key: SADDR, data: { set: [[{ x: 5 }, { drop: null }]] } } }],
  ])('has no text if a part of it is unknown: %j', (json) => {
    expect(jsonStatementToText(JSON.stringify(json))).toBeUndefined()
  })
})
