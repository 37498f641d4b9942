import { describe, expect, it } from 'vitest'
import { addressCommands, printAddressBatch } from '../../../src/targets/ipvs/addresses.js'
import { lowered } from '../../support/ipvs-states.js'
import { servicePort } from '../../support/model-builder.js'

const device = ['ip', 'link', 'add', 'kube-ipvs0', 'type', 'dummy']

describe('addressCommands', () => {
  it('make the device and bind IPv4 addresses', () => {
    expect(addressCommands(lowered([servicePort()]))).toEqual([
      device,
      ['ip', 'address', 'add', '172.30.0.41/32', 'dev', 'kube-ipvs0'],
    ])
  })

  it('bind IPv6 addresses', () => {
    const state = lowered([servicePort({ clusterIP: 'fd00::41' })], { family: 'IPv6' })
    expect(addressCommands(state)).toEqual([device, ['ip', 'address', 'add', 'fd00::41/128', 'dev', 'kube-ipvs0']])
  })

  it.each(['10.0.0.1 dev eth0', '-x', '', '010.0.0.1'])('refuse %j', (address) => {
    expect(() => addressCommands({ ...lowered([]), boundAddresses: [address] })).toThrow('cannot be bound')
  })
})

it('printAddressBatch prints one command on each line', () => {
  expect(printAddressBatch(lowered([servicePort()]))).toBe(
    'link add kube-ipvs0 type dummy\naddress add 172.30.0.41/32 dev kube-ipvs0\n',
  )
})
