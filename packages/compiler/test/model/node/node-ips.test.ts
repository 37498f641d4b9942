import { type IpAddress, parseIp } from '@kube-rules/types/internal/ip'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import { detectNodeIps } from '../../../src/model/node/node-ips.js'

function nodeIps(
  addresses: readonly string[],
  bindAddress = '0.0.0.0',
  kubernetesVersion?: string,
  featureGates: Record<string, boolean> = {},
) {
  const parsed = addresses.map(parseIp).filter((ip): ip is IpAddress => ip !== undefined)
  const given = { bindAddress, featureGates }
  const { configuration, features } = resolveConfiguration({ configuration: given, kubernetesVersion })
  const { primaryFamily, addresses: ips } = detectNodeIps(parsed, configuration, features)
  return [primaryFamily, ips.IPv4, ips.IPv6]
}

describe('detectNodeIps', () => {
  it.each<[string, readonly string[], string, readonly string[]]>([
    ['for a node without addresses', [], '0.0.0.0', ['IPv4', '127.0.0.1', '::1']],
    ['for a node without addresses that binds to ::', [], '::', ['IPv4', '127.0.0.1', '::1']],
    ['for a node without addresses that binds to an IPv4 address', [], '10.0.0.1', ['IPv4', '10.0.0.1', '::1']],
    [
      'for a node without addresses that binds to an IPv6 address',
      [],
      'fd00:4321::2',
      ['IPv6', '127.0.0.1', 'fd00:4321::2'],
    ],
    ['for an IPv4 node', ['192.168.1.1'], '0.0.0.0', ['IPv4', '192.168.1.1', '::1']],
    ['for an IPv6 node', ['fd00:1234::1'], '0.0.0.0', ['IPv6', '127.0.0.1', 'fd00:1234::1']],
    ['for an IPv4 node that binds to an IPv4 address', ['192.168.1.1'], '10.0.0.1', ['IPv4', '10.0.0.1', '::1']],
    [
      'for an IPv4 node that binds to an IPv6 address',
      ['192.168.1.1'],
      'fd00:4321::2',
      ['IPv6', '192.168.1.1', 'fd00:4321::2'],
    ],
    ['for a dual-stack node', ['192.168.1.1', 'fd00:1234::1'], '::', ['IPv4', '192.168.1.1', 'fd00:1234::1']],
    [
      'for a dual-stack node with an IPv6 address first',
      ['fd00:1234::1', '192.168.1.1'],
      '::',
      ['IPv6', '192.168.1.1', 'fd00:1234::1'],
    ],
    [
      'for a node with several addresses of each family',
      ['fd00::1', 'fd00::2', '10.0.0.1', '10.0.0.2'],
      '::',
      ['IPv6', '10.0.0.1', 'fd00::1'],
    ],
    [
      'for a dual-stack node that binds to an IPv6 address',
      ['192.168.1.1', 'fd00:1234::1'],
      'fd00:4321::2',
      ['IPv6', '192.168.1.1', 'fd00:4321::2'],
    ],
  ])('returns one IP per family %s', (_name, addresses, bindAddress, expected) => {
    expect(nodeIps(addresses, bindAddress)).toEqual(expected)
  })

  it.each<[string, readonly string[], string, readonly string[]]>([
    ['1.29', ['10.0.0.1', 'fd00::1'], '0.0.0.0', ['IPv4', '10.0.0.1', 'fd00::1']],
    ['1.28', ['10.0.0.1', 'fd00::1'], '0.0.0.0', ['IPv4', '10.0.0.1', '::']],
    ['1.28', ['fd00::1', '10.0.0.1'], '0.0.0.0', ['IPv6', '0.0.0.0', 'fd00::1']],
    ['1.28', ['10.0.0.1'], 'fd00::2', ['IPv6', '0.0.0.0', 'fd00::2']],
    ['1.28', [], '0.0.0.0', ['IPv4', '127.0.0.1', '::']],
    ['1.27', ['10.0.0.1', 'fd00::1'], '0.0.0.0', ['IPv4', '0.0.0.0', '::']],
    ['1.21', ['10.0.0.1', 'fd00::1'], '10.0.0.2', ['IPv4', '10.0.0.2', '::']],
    ['1.20', ['10.0.0.1'], '0.0.0.0', ['IPv4', '10.0.0.1', '::1']],
  ])(
    'returns one IP per family in %s for the addresses %j and the bindAddress %s',
    (version, addresses, bindAddress, expected) => {
      expect(nodeIps(addresses, bindAddress, version)).toEqual(expected)
    },
  )

  it.each([
    ['1.17', true, ['IPv4', '0.0.0.0', '::']],
    ['1.20', true, ['IPv4', '0.0.0.0', '::']],
    ['1.21', false, ['IPv4', '10.0.0.1', '::1']],
    ['1.22', false, ['IPv4', '10.0.0.1', '::1']],
  ])('uses the bindAddress in %s if the gate IPv6DualStack is on: %s', (version, IPv6DualStack, expected) => {
    expect(nodeIps(['10.0.0.1'], '0.0.0.0', version, { IPv6DualStack })).toEqual(expected)
  })
})
