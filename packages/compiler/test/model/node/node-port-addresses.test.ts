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
  version = '1.31',
): NodePortAddresses {
  const entries = addresses.map((address) => ({ interface: 'eth0', address }))
  const { features } = resolveConfiguration({ configuration: {}, kubernetesVersion: version })
  return selectNodePortAddresses(cidrs({ nodePortAddresses }, family, NODE_IPS, version), entries, features)
}

/** Returns the result that TestGetNodeAddresses of kube-proxy expects of one family: every address, or a list. */
function selected(nodePortAddresses: readonly string[], addresses: readonly string[], family: IpFamily) {
  const { all, addresses: found } = select(nodePortAddresses, addresses, family)
  return all ? 'all' : found
}

describe('nodePortCidrsOfFamily up to 1.18', () => {
  it.each([
    ['networks of both families', ['192.168.0.0/24', '2001:db8::/64']],
    ['networks of the other family only', ['2001:db8::/64']],
    ['the zero CIDR of the other family', ['192.168.0.0/24', '::/0']],
  ])('returns all networks: %s', (_, nodePortAddresses) => {
    expect(cidrs({ nodePortAddresses }, 'IPv4', NODE_IPS, '1.18')).toEqual(nodePortAddresses)
  })
})

describe('selectNodePortAddresses', () => {
  it.each<[string, string, IpFamily, 'all' | readonly string[]]>([
    ['1.33', '1.2.3.4/0', 'IPv4', ['1.2.3.4', '127.0.0.1']],
    ['1.34', '1.2.3.4/0', 'IPv4', 'all'],
    ['1.33', '2001:db8::/0', 'IPv6', ['::1']],
    ['1.34', '2001:db8::/0', 'IPv6', 'all'],
  ])('in version %s, the zero CIDR %s in another notation selects in %s: %j', (version, cidr, family, expected) => {
    const addresses = family === 'IPv4' ? ['1.2.3.4', '127.0.0.1'] : ['::1']
    const { all, addresses: found } = select([cidr, '10.0.0.0/8'], addresses, family, version)
    expect(all ? 'all' : found).toEqual(expected)
  })

  it.each<[string, readonly string[], readonly string[], 'all' | readonly string[]]>([
    ['of one network', ['10.20.30.0/24'], ['10.20.30.51', '100.200.201.1'], ['10.20.30.51']],
    ['all addresses for the zero CIDR', ['0.0.0.0/0'], ['10.20.30.51', '127.0.0.1'], 'all'],
    ['of a single loopback address', ['127.0.0.1/32'], ['10.20.30.51', '127.0.0.1'], ['127.0.0.1']],
    ['of the loopback network', ['127.0.0.0/8'], ['127.0.0.1', '127.0.1.1'], ['127.0.0.1', '127.0.1.1']],
    [
      'of two networks',
      ['10.20.30.0/24', '100.200.201.0/24'],
      ['10.20.30.51', '100.200.201.1'],
      ['10.20.30.51', '100.200.201.1'],
    ],
    ['none if no address is in the networks', ['10.20.30.0/24', '100.200.201.0/24'], ['192.168.1.2', '127.0.0.1'], []],
    ['all addresses if there are no networks', [], ['192.168.1.2', '127.0.0.1'], 'all'],
    ['all addresses if the networks are of the other family', ['::1/128'], ['192.168.1.2', '127.0.0.1'], 'all'],
    ['all addresses for the zero CIDR and another network', ['0.0.0.0/0', '1.2.3.0/24'], ['1.2.3.4'], 'all'],
    ['all addresses for another network and the zero CIDR', ['1.2.3.0/24', '0.0.0.0/0'], ['1.2.3.4'], 'all'],
    ['without duplicates for overlapping networks', ['1.2.0.0/16', '1.2.3.0/24'], ['1.2.3.4'], ['1.2.3.4']],
  ])('returns the IPv4 addresses: %s', (_name, nodePortAddresses, addresses, expected) => {
    expect(selected(nodePortAddresses, addresses, 'IPv4')).toEqual(expected)
  })

  it.each<[string, readonly string[], readonly string[], 'all' | readonly string[]]>([
    ['of one network', ['fe80::/32'], ['2001:db8::1', 'fe80:2f7:6fff:fe6e::1', 'fe80::1'], ['fe80::1']],
    ['all addresses for the zero CIDR', ['::/0'], ['2001:db8::1', '::1'], 'all'],
    ['of the single loopback address', ['::1/128'], ['2001:db8::1', '::1'], ['::1']],
    ['all addresses if there are no networks', [], ['2001:db8::1'], 'all'],
    ['all addresses if the networks are of the other family', ['127.0.0.1/32'], ['2001:db8::1'], 'all'],
    [
      'of the IPv6 network if there are networks of both families',
      ['127.0.0.0/8', '2001:db8::/32'],
      ['2001:db8::1', '::1'],
      ['2001:db8::1'],
    ],
  ])('returns the IPv6 addresses: %s', (_name, nodePortAddresses, addresses, expected) => {
    expect(selected(nodePortAddresses, addresses, 'IPv6')).toEqual(expected)
  })
})

describe('containsLoopback for selected node port addresses', () => {
  it.each<[string, readonly string[], boolean]>([
    ['no networks', [], true],
    ['the zero CIDR', ['0.0.0.0/0'], true],
    ['the zero CIDR of IPv6', ['::/0'], true],
    ['the zero CIDR and another network', ['0.0.0.0/0', '10.0.0.0/24'], true],
    ['the loopback network', ['127.0.0.0/8'], true],
    ['a part of the loopback network', ['127.0.2.0/28', '10.0.0.0/24'], true],
    ['a single loopback address', ['127.0.0.1/32'], true],
    ['a network that contains the loopback network', ['64.0.0.0/2'], true],
    ['a network without loopback addresses', ['10.0.0.0/24'], false],
    ['the zero CIDR before the loopback network', ['10.0.0.0/8', '0.0.0.0/0', '127.0.0.0/8'], true],
    ['another network before the loopback network', ['10.0.0.0/24', '127.0.0.0/8'], true],
  ])('returns the expected result in IPv4 for %s with %j: %s', (_name, nodePortAddresses, expected) => {
    expect(select(nodePortAddresses, [], 'IPv4').containsLoopback).toBe(expected)
  })

  it.each([[[]], [['::/0']], [['::1/128']], [['127.0.0.0/8', '::1/128']]])(
    'returns false in IPv6, even for %j',
    (addresses) => {
      expect(select(addresses, [], 'IPv6').containsLoopback).toBe(false)
    },
  )
})

describe('nodePortCidrsOfFamily', () => {
  it('returns the addresses of the node for the keyword "primary"', () => {
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv4')).toEqual(['192.168.0.2/32'])
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv6')).toEqual(['fd00::2/128'])
  })

  it('returns the zero CIDR for the keyword "primary" if the node has only loopback addresses', () => {
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv4', UNKNOWN_IPS)).toEqual(['0.0.0.0/0'])
    expect(cidrs({ nodePortAddresses: ['primary'] }, 'IPv6', UNKNOWN_IPS)).toEqual(['::/0'])
  })

  it('returns the networks for the keywords of 1.37 and the other networks in order', () => {
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

  it('returns the addresses of the node in nftables mode if no networks are set', () => {
    expect(cidrs({ mode: 'nftables' }, 'IPv4')).toEqual(['192.168.0.2/32'])
    expect(cidrs({ mode: 'nftables', nodePortAddresses: ['10.0.0.0/8'] }, 'IPv6')).toEqual(['::/0'])
    const onlyIpv4: NodeIps = { ...NODE_IPS, addresses: { ...NODE_IPS.addresses, IPv6: '::1' } }
    expect(cidrs({ mode: 'nftables' }, 'IPv6', onlyIpv4)).toEqual(['::/0'])
  })

  it('returns the node address in nftables mode of 1.30 if no network of the family is set', () => {
    const configuration = { mode: 'nftables', nodePortAddresses: ['10.0.0.0/8'] }
    expect(cidrs(configuration, 'IPv4', NODE_IPS, '1.30')).toEqual(['10.0.0.0/8'])
    expect(cidrs(configuration, 'IPv6', NODE_IPS, '1.30')).toEqual(['fd00::2/128'])
    expect(cidrs({ mode: 'nftables' }, 'IPv4', UNKNOWN_IPS, '1.30')).toEqual(['127.0.0.1/32'])
  })
})
