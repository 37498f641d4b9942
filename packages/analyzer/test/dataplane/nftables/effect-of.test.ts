import { describe, expect, it } from 'vitest'
import { tablesOf } from '../../../../compiler/test/dataplane/nftables/tables.js'
import { parseRuleEffect } from '../../../src/dataplane/nftables/rule-lines.js'

const STATE = {
  tables: tablesOf(
    'table ip t {\n\tchain reject-chain {\n\t\treject\n\t}\n\n\tchain services {\n\t\tcounter\n\t\treject\n\t}\n\n' +
      '\tchain refusing {\n\t\tip saddr 10.0.0.1 drop\n\t\tcounter reject with tcp reset\n\t}\n\n' +
      '\tchain half {\n\t\tdrop\n\t\taccept\n\t}\n\n\tchain empty {\n\t}\n\n\tchain onward {\n\t\tgoto refusing\n\t}\n\n' +
      '\tchain everywhere {\n\t\tdrop\n\t}\n}\ntable ip u {\n\tchain everywhere {\n\t\taccept\n\t}\n}\n',
  ),
}

describe('parseRuleEffect for an nftables line', () => {
  it.each([
    ['drop', { refuses: true, sendsTo: [] }],
    ['ct state invalid drop', { refuses: true, sendsTo: [] }],
    ['reject', { refuses: true, sendsTo: [] }],
    ['jump services', { refuses: false, sendsTo: [] }],
    ['meta l4proto tcp dnat to 10.0.0.1:80', { refuses: false, sendsTo: ['10.0.0.1:80'] }],
    ['meta l4proto udp dnat to [fd00::1]:53', { refuses: false, sendsTo: ['[fd00::1]:53'] }],
    [
      'meta l4proto tcp dnat ip addr . port to numgen random mod 2 map { 0 : 10.0.0.1 . 80, 1 : 10.0.0.2 . 81 }',
      { refuses: false, sendsTo: ['10.0.0.1:80', '10.0.0.2:81'] },
    ],
    [
      'meta l4proto tcp dnat ip6 addr . port to numgen random mod 1 map { 0 : fd00::1 . 80 }',
      { refuses: false, sendsTo: ['[fd00::1]:80'] },
    ],
    ['ip saddr 10.0.0.1 log prefix "drop" accept', {}],
    ['accept comment "dnat to 10.0.0.1:80 drop"', {}],
    ['meta l4proto tcp dnat to 10.0.0.1', { sendsTo: ['10.0.0.1'] }],
    ['goto reject-chain', { refuses: true }],
    ['goto services', {}],
    ['goto refusing', { refuses: true }],
    ['goto half', {}],
    ['goto empty', {}],
    ['goto onward', {}],
    ['goto everywhere', {}],
    ['return', {}],
    ['counter packets 0 bytes 0 drop', { refuses: true }],
    ['dnat to fd00::1', { sendsTo: ['fd00::1'] }],
    ['dnat to 10.0.0.1:80 drop', { refuses: true, sendsTo: ['10.0.0.1:80'] }],
    ['dnat to numgen random mod 2 map { 0 : 10.0.0.1, 1 : 10.0.0.2 }', { sendsTo: ['10.0.0.1', '10.0.0.2'] }],
    ['ips 10.0.0.1 : accept, 10.0.0.2 : accept', {}],
    ['goto nowhere', {}],
    ['drop {', {}],
    [
      'no-endpoint-services 10.0.0.1 . tcp . 80 comment "a/b:c" : goto reject-chain',
      { refuses: true, rule: '10.0.0.1 . tcp . 80 comment "a/b:c" : goto reject-chain' },
    ],
    ['cluster-ips 10.0.0.1', {}],
    [
      'no-endpoint-services 10.0.0.1 . tcp . 80 : drop',
      { refuses: true, sendsTo: [], rule: '10.0.0.1 . tcp . 80 : drop' },
    ],
    [
      'service-ips 10.0.0.1 . tcp . 80 : goto service-A-a/b/tcp/c',
      { refuses: false, sendsTo: [], rule: '10.0.0.1 . tcp . 80 : goto service-A-a/b/tcp/c' },
    ],
  ])('returns the effect of %s', (line, expected) => {
    expect(parseRuleEffect(line, STATE)).toStrictEqual({
      refuses: false,
      sendsTo: [],
      acceptsNoConnections: false,
      rule: line,
      ...expected,
    })
  })

  it('depends only on the line if the state is unknown', () => {
    expect([
      parseRuleEffect('goto reject-chain', undefined).refuses,
      parseRuleEffect('drop', undefined).refuses,
    ]).toEqual([false, true])
  })
})
