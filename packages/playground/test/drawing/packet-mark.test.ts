import { expect, test } from 'vitest'
import { formatMark, markAfter } from '../../src/drawing/packet-mark.js'

test.each([
  ['-A KUBE-MARK-MASQ -j MARK --set-xmark 0x4000/0x4000', 1, 0x4001],
  ['-A KUBE-POSTROUTING -j MARK --set-xmark 0x4000/0x0', 0x4001, 1],
  ['-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000', 1, 0x4001],
  ['-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000', 0x4000, 0],
  ['-A X -j MARK --and-mark 0xfffffffe', 0x4001, 0x4000],
  ['-A X -j MARK --set-xmark 0x8', 0x4001, 8],
  ['-A X -j MARK --set-mark 0x2/0x3', 0x4001, 0x4002],
  ['meta mark set meta mark | 0x00004000 comment "masquerade"', 0, 0x4000],
  ['mark set mark or 0x4000', 0, 0x4000],
  ['meta mark & 0x4000 != 0 meta mark set meta mark ^ 0x00004000 masquerade', 0x4000, 0],
  ['meta mark set meta mark & 0xffffbfff', 0x4001, 1],
  ['meta mark set 0x10', 3, 16],
  ['-A KUBE-FORWARD -m mark --mark 0x4000/0x4000 -j ACCEPT', 0x4000, 0x4000],
  ['-A X -j MARK --or-mark 0x80000000', 0, 0x80000000],
])('markAfter applies %s', (rule, mark, next) => {
  expect(markAfter(rule, mark)).toBe(next)
})

test('formatMark prints hexadecimal digits', () => {
  expect([0, 0x4000, 0x80000000].map(formatMark)).toEqual(['0', '0x4000', '0x80000000'])
})
