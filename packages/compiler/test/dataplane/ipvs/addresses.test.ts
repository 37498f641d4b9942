import { expect, it } from 'vitest'
import {
  createAddressSortKey,
  hostNetmaskOf,
  ipv4ToNumber,
  parseAddressAndPort,
} from '../../../src/dataplane/ipvs/addresses.js'
import { createRealServerSortKey, createVirtualServerSortKey } from '../../../src/dataplane/ipvs/canonical.js'
import { realServer, virtualServer } from './states.js'

it.each([
  ['0.0.0.0', 0],
  ['0.0.1.0', 256],
  ['10.0.0.9', 0x0a000009],
  ['192.168.0.2', 0xc0a80002],
  ['255.255.255.255', 0xffffffff],
  ['10.0.0.:', Number.NaN],
  ['10.0.0./', Number.NaN],
  ['fd00::1', Number.NaN],
])('ipv4ToNumber maps %s to %d', (address, number) => {
  expect(ipv4ToNumber(address)).toBe(number)
})

it('address sort keys have the order of the numeric addresses', () => {
  const inOrder = ['2.0.0.0', '10.0.0.9', '10.0.0.10', '1:0:0:4::9', '1::5:5:5:5:5', '10::', 'fd00::1:0', 'fd00::2:0']
  expect([...inOrder].reverse().sort((a, b) => (createAddressSortKey(a) < createAddressSortKey(b) ? -1 : 1))).toEqual(
    inOrder,
  )
})

it.each([
  ['10.0.0.9', '4 010.000.000.009'],
  ['::', '6 0000:0000:0000:0000:0000:0000:0000:0000'],
  ['fd00::1:2', '6 fd00:0000:0000:0000:0000:0000:0001:0002'],
  ['1:2:3:4:5:6:7:8', '6 0001:0002:0003:0004:0005:0006:0007:0008'],
])('the sort key of the address %s has zero-padded numbers: %s', (address, key) => {
  expect(createAddressSortKey(address)).toBe(key)
})

it('a server sort key consists of the family, protocol, address and port', () => {
  expect(createVirtualServerSortKey(virtualServer({ protocol: 'UDP' }))).toBe('4 1 4 010.000.000.001 00080')
  expect(createVirtualServerSortKey(virtualServer({ address: 'fd00::1', protocol: 'SCTP', port: 65535 }))).toBe(
    '6 2 6 fd00:0000:0000:0000:0000:0000:0000:0001 65535',
  )
  expect(createRealServerSortKey(realServer('10.1.1.1', 8080))).toBe('4 010.001.001.001 08080')
})

it.each([
  ['10.0.0.1', { address: '10.0.0.1' }],
  ['10.0.0.1:0', { address: '10.0.0.1', port: 0 }],
  ['10.0.0.1:65535', { address: '10.0.0.1', port: 65535 }],
  ['10.0.0.1:00080', { address: '10.0.0.1', port: 80 }],
  ['[fd00::1]', { address: 'fd00::1' }],
  ['[FD00::1]:80', { address: 'fd00::1', port: 80 }],
  ...[
    '10.0.0.1:65536',
    '10.0.0.1:000080',
    '10.0.0.1:',
    '10.0.0.1:80x',
    '10.0.0.1:x80',
    '10.0.0.1:80:80',
    'x[fd00::1]:80',
  ].map(none),
  ...[
    'fd00::1',
    'fd00::1:80',
    '[fd00::1',
    '[fd00::1]80',
    '[fd00::1]x:80',
    '[10.0.0.1]:80',
    '[10.0.0.1]',
    '[10.0.0.1x',
    '',
  ].map(none),
])('parseAddressAndPort maps %j to %j', (text, place) => {
  expect(parseAddressAndPort(text)).toEqual(place)
})

function none(text: string): [string, undefined] {
  return [text, undefined]
}

it('the netmask of an individual address has all bits set', () => {
  expect(['10.0.0.1', 'fd00::1'].map(hostNetmaskOf)).toEqual(['255.255.255.255', '128'])
})
