import { describe, expect, it } from 'vitest'
import {
  assembleAddresses,
  isAddressId,
  parseAddressId,
  resourcesOf,
} from '../../../src/dataplane/addresses/resources.js'

describe('the resources of addresses', () => {
  it('consist of the device and the addresses, which depend on the device', () => {
    expect([...resourcesOf({ addresses: ['10.0.0.1', 'fd00::1'] }).values()]).toEqual([
      { id: 'device kube-ipvs0', refs: [], value: { type: 'dummy' } },
      { id: 'address 10.0.0.1', refs: ['device kube-ipvs0'], value: { device: 'kube-ipvs0' } },
      { id: 'address fd00::1', refs: ['device kube-ipvs0'], value: { device: 'kube-ipvs0' } },
    ])
  })

  it('are assembled in code-unit order', () => {
    const resources = resourcesOf({ addresses: ['9.0.0.1', '10.0.0.9', '10.0.0.10'] })
    expect(assembleAddresses(resources)).toEqual({ addresses: ['10.0.0.10', '10.0.0.9', '9.0.0.1'] })
    expect(assembleAddresses(new Map())).toEqual({ addresses: [] })
  })

  it('are recognized by their ids', () => {
    expect([...resourcesOf({ addresses: ['10.0.0.1'] }).keys()].map(parseAddressId)).toEqual([undefined, '10.0.0.1'])
    expect(['device kube-ipvs0', 'address fd00::1', 'device eth0', 'ipset X', 'nat/X'].map(isAddressId)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
  })
})
