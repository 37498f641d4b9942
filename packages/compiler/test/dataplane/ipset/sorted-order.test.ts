import { describe, expect, it } from 'vitest'
import { compareEntriesInSaveOrder } from '../../../src/dataplane/ipset/sorted-order.js'
import { compareValues } from '../../../src/internal/compare-values.js'

/** Each list in the output order of `ipset -sorted save` of ipset 7.17. */
describe.each([
  ['addresses', ['9.1.1.1', '10.0.0.1', '10.0.0.10', '192.0.2.1']],
  ['IPv6 addresses', ['::1', '::10', '::a', '1::', '1::2', 'fd00::1', 'fd00::a', 'fd00::10']],
  ['protocols', ['10.0.0.1,gre:0', '10.0.0.1,tcp:80', '10.0.0.1,icmp:echo-request', '10.0.0.1,udplite:5']],
  ['ports', ['10.0.0.10,tcp:80', '10.0.0.10,tcp:443', '10.0.0.10,udp:53', '10.0.0.10,sctp:9']],
  [
    'networks',
    [
      '1.1.1.1,tcp:80,9.0.0.0/8',
      '1.1.1.1,tcp:80,10.0.0.0',
      '1.1.1.1,tcp:80,10.0.0.0/24',
      '1.1.1.1,tcp:80,10.0.0.0/9',
      '1.1.1.1,tcp:80,10.0.0.0/8',
      '1.1.1.1,tcp:80,10.0.0.10',
      '1.1.1.1,tcp:80,10.0.0.99',
      '1.1.1.1,tcp:8080,10.0.0.0/9',
    ],
  ],
  [
    'IPv6 networks',
    [
      'fd00::1,tcp:80,::1',
      'fd00::1,tcp:80,2001:db8::/32',
      'fd00::1,tcp:80,fd00::7',
      'fd00::1,tcp:80,fd00::10',
      'fd00::1,tcp:80,fd00::/64',
      'fd00::1,tcp:80,fd00:1::/32',
      'fd00::1,tcp:80,fd00:10:2::/48',
    ],
  ],
  [
    'IPv6 networks of one prefix',
    [
      'fd00::1,tcp:80,fd00::/8',
      'fd00::1,tcp:80,fd00::12',
      'fd00::1,tcp:80,fd00::/48',
      'fd00::1,tcp:80,fd00::/64',
      'fd00::1,tcp:80,fd00::123',
    ],
  ],
])('ipset entries with %s', (_, sorted) => {
  it('are sorted by compareEntriesInSaveOrder in the order of ipset', () => {
    expect([...sorted].reverse().sort(compareEntriesInSaveOrder)).toEqual(sorted)
    expect([...sorted].sort(compareValues).sort(compareEntriesInSaveOrder)).toEqual(sorted)
  })

  it('compare as equal to themselves, and with the opposite result if two entries are swapped', () => {
    for (const left of sorted) {
      expect(compareEntriesInSaveOrder(left, left)).toBe(0)
      for (const right of sorted) {
        expect(
          Math.sign(compareEntriesInSaveOrder(left, right)) + Math.sign(compareEntriesInSaveOrder(right, left)),
        ).toBe(0)
      }
    }
  })
})
