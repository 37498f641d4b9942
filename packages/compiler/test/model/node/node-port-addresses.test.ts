import type { IpFamily } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import type { NodeIps } from '../../../src/model/node/node-ips.js'
import {
  type NodePortAddresses,
  nodePortCidrsOfFamily,
  selectNodePortAddresses,
} from '../../../src/model/node/node-port-addresses.js'

const NODE_IPS: NodeIps = { primaryFamily: 'IPv4', addresses: { IPv4: '192.168.0.2', IPv6: 'fd00::2' } }
const UNKNOWN_IPS: NodeIps = { primaryFamily: 'IPv4', addresses: { IPv4: '127.0.0.1', IPv6: '::1' } }

function cidrs(configuration: object, family: IpFamily, nodeIps = NODE_IPS, version = '1.31'): readonly string[] {
  const resolved = resolveConfiguration({ configuration, kubernetesVersion: version })
  return nodePortCidrsOfFamily(resolved.configuration, nodeIps, resolved.features, family)
}

function select(
  nodePortAddresses: readonly string[],
  addresses: readonly string[],
  family: IpFamily,
): NodePortAddresses {
  const entries = addresses.map((address) => ({ interface: 'eth0', address }))
  return selectNodePortAddresses(cidrs({ nodePortAddresses }, family), entries)
}

/** Returns the result that TestGetNodeAddresses of kube-proxy expects of one family: every address, or a list. */
function selected(nodePortAddresses: readonly string[], addresses: readonly string[], family: IpFamily) {
  const { all, addresses: found } = select(nodePortAddresses, addresses, family)
  return all ? 'all' : found
}

describe('selectNodePortAddresses', () => {
  it.each<[string, readonly string[], readonly string[], 'all' | readonly string[]]>([
    ['IPv4 single', ['10.20.30.0/24'], ['10.20.30.51', '100.200.201.1'], ['10.20.30.51']],
    ['IPv4 zero CIDR', ['0.0.0.0/0'], ['10.20.30.51', '127.0.0.1'], 'all'],
    ['IPv4 localhost exact', ['127.0.0.1/32'], ['10.20.30.51', '127.0.0.1'], ['127.0.0.1']],
    ['IPv4 localhost subnet', ['127.0.0.0/8'], ['127.0.0.1', '127.0.1.1'], ['127.0.0.1', '127.0.1.1']],
    [
      'IPv4 multiple',
      ['10.20.30.0/24', '100.200.201.0/24'],
      ['10.20.30.51', '100.200.201.1'],
      ['10.20.30.51', '100.200.201.1'],
    ],
    ['IPv4 no match', ['10.20.30.0/24', '100.200.201.0/24'], ['192.168.1.2', '127.0.0.1'], []],
    ['empty list', [], ['192.168.1.2', '127.0.0.1'], 'all'],
    ['only the other family', ['::1/128'], ['192.168.1.2', '127.0.0.1'], 'all'],
    ['redundant network after the zero CIDR', ['0.0.0.0/0', '1.2.3.0/24'], ['1.2.3.4'], 'all'],
    ['redundant network before the zero CIDR', ['1.2.3.0/24', '0.0.0.0/0'], ['1.2.3.4'], 'all'],
    ['a zero CIDR in another notation', ['1.2.3.4/0'], ['1.2.3.4', '127.0.0.1'], ['1.2.3.4', '127.0.0.1']],
    ['overlapping networks', ['1.2.0.0/16', '1.2.3.0/24'], ['1.2.3.4'], ['1.2.3.4']],
  ])('IPv4: %s', (_name, nodePortAddresses, addresses, expected) => {
    expect(selected(nodePortAddresses, addresses, 'IPv4')).toEqual(expected)
  })

  it.each<[string, readonly string[], readonly string[], 'all' | readonly string[]]>([
    ['single', ['fe80::/32'], ['2001:db8::1', 'fe80:2f7:6fff:fe6e::1', 'fe80::1'], ['fe80::1']],
    ['zero CIDR', ['::/0'], ['2001:db8::1', '::1'], 'all'],
    ['localhost exact', ['::1/128'], ['2001:db8::1', '::1'], ['::1']],
    ['empty list', [], ['2001:db8::1'], 'all'],
    ['only the other family', ['127.0.0.1/32'], ['2001:db8::1'], 'all'],
    ['both families', ['127.0.0.0/8', '2001:db8::/32'], ['2001:db8::1', '::1'], ['2001:db8::1']],
  ])('IPv6: %s', (_name, nodePortAddresses, addresses, expected) => {
    expect(selected(nodePortAddresses, addresses, 'IPv6')).toEqual(expected)
  })
})

describe('containsLoopback', () => {
  it.each<[string, readonly string[], boolean]>([
    ['empty', [], true],
    ['all zeros', ['0.0.0.0/0'], true],
    ['all zeros of IPv6', ['::/0'], true],
    ['all zeros twice', ['0.0.0.0/0', '10.0.0.0/24'], true],
    ['whole loopback network', ['127.0.0.0/8'], true],
    ['part of it', ['127.0.2.0/28', '10.0.0.0/24'], true],
    ['one address of it', ['127.0.0.1/32'], true],
    ['a network around it', ['64.0.0.0/2'], true],
    ['another network', ['10.0.0.0/24'], false],
    ['loopback after all zeros', ['10.0.0.0/8', '0.0.0.0/0', '127.0.0.0/8'], true],
    ['loopback after another network', ['10.0.0.0/24', '127.0.0.0/8'], true],
  ])('IPv4: %s is %s', (_name, nodePortAddresses, expected) => {
    expect(select(nodePortAddresses, [], 'IPv4').containsLoopback).toBe(expected)
  })

  it.each([[[]], [['::/0']], [['::1/128']], [['127.0.0.0/8', '::1/128']]])(
    'is never true for IPv6: %j',
    (addresses) => {
      expect(select(addresses, [], 'IPv6').containsLoopback).toBe(false)
    },
  )
})

describe('nodePortCidrsOfFamily', () => {
  it('expands primary to the addresses of the node', () => {
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv4')).toEqual(['192.168.0.2/32'])
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv6')).toEqual(['fd00::2/128'])
  })

  it('excludes loopback addresses from primary', () => {
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv4', UNKNOWN_IPS)).toEqual(['0.0.0.0/0'])
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv6', UNKNOWN_IPS)).toEqual(['::/0'])
  })

  it('expands the keywords of 1.37, in their order, combined with networks', () => {
    const of = (nodePortAddresses: readonly string[], family: IpFamily, nodeIps = NODE_IPS) =>
      cidrs({ nodePortAddresses }, family, nodeIps, '1.37')
    expect(of(['localhost'], 'IPv4')).toEqual(['127.0.0.0/8'])
    expect(of(['localhost'], 'IPv6')).toEqual(['::1/128'])
    expect(of(['all'], 'IPv4')).toEqual(['0.0.0.0/0'])
    expect(of(['all'], 'IPv6')).toEqual(['::/0'])
    expect(of(['primary', 'all'], 'IPv4')).toEqual(['192.168.0.2/32', '0.0.0.0/0'])
    expect(of(['10.0.0.0/8', 'primary', 'localhost'], 'IPv4')).toEqual(['10.0.0.0/8', '192.168.0.2/32', '127.0.0.0/8'])
    expect(of(['10.0.0.0/8', 'primary', 'localhost'], 'IPv6')).toEqual(['fd00::2/128', '::1/128'])
    expect(of(['primary', 'localhost'], 'IPv6', UNKNOWN_IPS)).toEqual(['::1/128'])
  })

  it('defaults to primary in mode nftables without any network', () => {
    expect(cidrs({ mode: 'nftables' }, 'IPv4')).toEqual(['192.168.0.2/32'])
    expect(cidrs({ mode: 'nftables', nodePortAddresses: ['10.0.0.0/8'] }, 'IPv6')).toEqual(['::/0'])
    const onlyIpv4: NodeIps = { ...NODE_IPS, addresses: { ...NODE_IPS.addresses, IPv6: '::1' } }
    expect(cidrs({ mode: 'nftables' }, 'IPv6', onlyIpv4)).toEqual(['::/0'])
  })

  it('defaults to the own address in mode nftables of 1.30 without a network of the family', () => {
    const configuration = { mode: 'nftables', nodePortAddresses: ['10.0.0.0/8'] }
    expect(cidrs(configuration, 'IPv4', NODE_IPS, '1.30')).toEqual(['10.0.0.0/8'])
    expect(cidrs(configuration, 'IPv6', NODE_IPS, '1.30')).toEqual(['fd00::2/128'])
    expect(cidrs({ mode: 'nftables' }, 'IPv4', UNKNOWN_IPS, '1.30')).toEqual(['127.0.0.1/32'])
  })
})
