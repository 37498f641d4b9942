import { expect, it } from 'vitest'
import { addressKey, ipv4Number } from '../../../src/dataplane/ipvs/addresses.js'

it.each([
  ['0.0.0.0', 0],
  ['0.0.1.0', 256],
  ['10.0.0.9', 0x0a000009],
  ['192.168.0.2', 0xc0a80002],
  ['255.255.255.255', 0xffffffff],
  ['10.0.0.:', Number.NaN],
  ['10.0.0./', Number.NaN],
  ['fd00::1', Number.NaN],
])('%s is the number %d', (address, number) => {
  expect(ipv4Number(address)).toBe(number)
})

it('addresses have keys in the order of their numbers', () => {
  const inOrder = ['2.0.0.0', '10.0.0.9', '10.0.0.10', '1:0:0:4::9', '1::5:5:5:5:5', '10::', 'fd00::1:0', 'fd00::2:0']
  expect([...inOrder].reverse().sort((a, b) => (addressKey(a) < addressKey(b) ? -1 : 1))).toEqual(inOrder)
})
