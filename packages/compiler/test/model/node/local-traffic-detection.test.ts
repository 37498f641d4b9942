import type { Cidr, IpFamily } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { describe, expect, it } from 'vitest'
import { resolveConfiguration } from '../../../src/model/configuration/resolve-configuration.js'
import { createLocalTrafficDetection } from '../../../src/model/node/local-traffic-detection.js'

/** Returns the network, `-i` of an interface or prefix, or undefined without local traffic detection. */
function detected(configuration: object, podCidrs: readonly string[], family: IpFamily): string | undefined {
  const cidrs = podCidrs.map(parseCidr).filter((cidr): cidr is Cidr => cidr !== undefined)
  const traffic = createLocalTrafficDetection(
    resolveConfiguration({ configuration }).configuration,
    { podCidrs: cidrs },
    family,
  )
  if (traffic === undefined) return undefined
  return traffic.kind === 'cidr'
    ? traffic.cidr.text
    : traffic.kind === 'interface'
      ? traffic.interface
      : `${traffic.prefix}+`
}

describe('createLocalTrafficDetection', () => {
  it.each<[string, string | undefined, string | undefined]>([
    ['', undefined, undefined],
    ['10.0.0.0/14', '10.0.0.0/14', undefined],
    ['10.1.2.3/8', '10.0.0.0/8', undefined],
    ['2002:0:0:1234::/64', undefined, '2002:0:0:1234::/64'],
    ['10.0.0.0/14,2002:0:0:1234::/64', '10.0.0.0/14', '2002:0:0:1234::/64'],
    ['2002:0:0:1234::/64,10.0.0.0/14', '10.0.0.0/14', '2002:0:0:1234::/64'],
    [' 10.0.0.0/14 , 2002:0:0:1234::/64 ', '10.0.0.0/14', '2002:0:0:1234::/64'],
    ['10.0.0.0/14,11.0.0.0/8', '10.0.0.0/14', undefined],
    ['nonsense', undefined, undefined],
  ])('reads one network per family from clusterCIDR %j: %s and %s', (clusterCIDR, ipv4, ipv6) => {
    const configuration = { clusterCIDR, detectLocalMode: 'ClusterCIDR' }
    const podCidrs = ['10.244.1.0/24', 'fd00:10:244:1::/64']
    expect([detected(configuration, podCidrs, 'IPv4'), detected(configuration, podCidrs, 'IPv6')]).toEqual([ipv4, ipv6])
  })

  it.each<[readonly string[], string | undefined, string | undefined]>([
    [[], undefined, undefined],
    [['10.0.0.0/24'], '10.0.0.0/24', undefined],
    [['2002:0:0:1234::/96'], undefined, '2002:0:0:1234::/96'],
    [['10.0.0.0/24', '2002:0:0:1234::/96'], '10.0.0.0/24', '2002:0:0:1234::/96'],
    [['2002:0:0:1234::/96', '10.0.0.0/24', '10.9.0.0/24'], '10.0.0.0/24', '2002:0:0:1234::/96'],
  ])('reads one network per family from podCIDRs %j: %s and %s', (podCidrs, ipv4, ipv6) => {
    const configuration = { clusterCIDR: '10.1.0.0/16', detectLocalMode: 'NodeCIDR' }
    expect([detected(configuration, podCidrs, 'IPv4'), detected(configuration, podCidrs, 'IPv6')]).toEqual([ipv4, ipv6])
  })

  it.each<IpFamily>(['IPv4', 'IPv6'])('returns the interface name or prefix for family %s', (family) => {
    const detectLocal = { bridgeInterface: 'cbr0', interfaceNamePrefix: 'veth' }
    expect(detected({ detectLocalMode: 'BridgeInterface', detectLocal }, [], family)).toBe('cbr0')
    expect(detected({ detectLocalMode: 'InterfaceNamePrefix', detectLocal }, [], family)).toBe('veth+')
  })

  it.each(['', 'a b', 'a\nb', '"', "'", 'a/b', 'a+', '!', '$(x)', 'a\\', 'é', 'a234567890123456'])(
    'returns nothing for the invalid interface name %j',
    (name) => {
      const detectLocal = { bridgeInterface: name, interfaceNamePrefix: name }
      expect(detected({ detectLocalMode: 'BridgeInterface', detectLocal }, [], 'IPv4')).toBeUndefined()
      expect(detected({ detectLocalMode: 'InterfaceNamePrefix', detectLocal }, [], 'IPv4')).toBeUndefined()
    },
  )

  it('returns nothing for an unknown detectLocalMode', () => {
    expect(detected({ detectLocalMode: 'Guess', clusterCIDR: '10.0.0.0/8' }, [], 'IPv4')).toBeUndefined()
  })
})
