import { describe, expect, it } from 'vitest'
import { nodePortAddressesOf, nonServiceAddressesOf } from '../../../src/targets/ipvs/lowering-context.js'
import { ipvsPlanOf } from '../../support/ipvs-states.js'

const all = { all: true, addresses: [], containsLoopback: true }

describe('nonServiceAddressesOf', () => {
  it.each([
    ['kube-ipvs0', '172.30.0.41', []],
    ['lo', '127.0.0.1', []],
    ['lo', '::1', []],
    ['eth0', 'fe80::1', []],
    ['eth0', '169.254.0.1', ['169.254.0.1']],
    ['lo', '192.168.0.2', ['192.168.0.2']],
  ])('for the device %s with the address %s returns the addresses %j', (device, address, expected) => {
    const addresses = [{ interface: device, address }]
    expect(nonServiceAddressesOf(ipvsPlanOf([], { node: { addresses } }))).toEqual(expected)
  })
})

describe('nodePortAddressesOf', () => {
  it('returns all node addresses except loopback addresses', () => {
    const addresses = [
      { interface: 'lo', address: '127.0.0.1' },
      { interface: 'eth0', address: '192.168.0.2' },
    ]
    expect(nodePortAddressesOf(ipvsPlanOf([], { node: { addresses, nodePorts: all } }))).toEqual(['192.168.0.2'])
  })

  it('returns the selected addresses except loopback addresses', () => {
    const nodePorts = { all: false, addresses: ['127.0.0.1', '192.168.0.2'], containsLoopback: true }
    expect(nodePortAddressesOf(ipvsPlanOf([], { node: { nodePorts } }))).toEqual(['192.168.0.2'])
  })
})
