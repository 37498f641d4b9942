import { describe, expect, it } from 'vitest'
import { listIpvsModeSets } from '../../../src/commands/ipvs-versions.js'
import { featuresOf } from '../../../src/model/configuration/features.js'
import { ipsetDefinitionOf, listIpsetDefinitions } from '../../../src/targets/ipvs/sets.js'
import { checkIpset } from '../../support/check-ipset.js'

describe('listIpvsModeSets', () => {
  it('returns the IPv4 sets in creation order', () => {
    expect(listIpvsModeSets('IPv4').map(({ name, type }) => `${name} ${type}`)).toEqual([
      'KUBE-LOOP-BACK hash:ip,port,ip',
      'KUBE-CLUSTER-IP hash:ip,port',
      'KUBE-EXTERNAL-IP hash:ip,port',
      'KUBE-EXTERNAL-IP-LOCAL hash:ip,port',
      'KUBE-LOAD-BALANCER hash:ip,port',
      'KUBE-LOAD-BALANCER-FW hash:ip,port',
      'KUBE-LOAD-BALANCER-LOCAL hash:ip,port',
      'KUBE-LOAD-BALANCER-SOURCE-IP hash:ip,port,ip',
      'KUBE-LOAD-BALANCER-SOURCE-CIDR hash:ip,port,net',
      'KUBE-NODE-PORT-TCP bitmap:port',
      'KUBE-NODE-PORT-LOCAL-TCP bitmap:port',
      'KUBE-NODE-PORT-UDP bitmap:port',
      'KUBE-NODE-PORT-LOCAL-UDP bitmap:port',
      'KUBE-NODE-PORT-SCTP-HASH hash:ip,port',
      'KUBE-NODE-PORT-LOCAL-SCTP-HASH hash:ip,port',
      'KUBE-HEALTH-CHECK-NODE-PORT bitmap:port',
      'KUBE-IPVS-IPS hash:ip',
    ])
  })

  it('truncates the names of IPv6 sets to 31 characters', () => {
    const names = listIpvsModeSets('IPv6').map(({ name }) => name)
    expect(names).toContain('KUBE-6-LOAD-BALANCER-SOURCE-CID')
    expect(names).toContain('KUBE-6-NODE-PORT-LOCAL-SCTP-HAS')
    expect(names).toContain('KUBE-6-IPVS-IPS')
    expect(new Set(names).size).toBe(17)
  })
})

it('listIpvsModeSets returns the set comments of kube-proxy', () => {
  expect(listIpvsModeSets('IPv4').map(({ comment }) => comment)).toEqual([
    'Kubernetes endpoints dst ip:port, source ip for solving hairpin purpose',
    'Kubernetes service cluster ip + port for masquerade purpose',
    'Kubernetes service external ip + port for masquerade and filter purpose',
    'Kubernetes service external ip + port with externalTrafficPolicy=local',
    'Kubernetes service lb portal',
    'Kubernetes service load balancer ip + port for load balancer with sourceRange',
    'Kubernetes service load balancer ip + port with externalTrafficPolicy=local',
    'Kubernetes service load balancer ip + port + source IP for packet filter purpose',
    'Kubernetes service load balancer ip + port + source cidr for packet filter purpose',
    'Kubernetes nodeport TCP port for masquerade purpose',
    'Kubernetes nodeport TCP port with externalTrafficPolicy=local',
    'Kubernetes nodeport UDP port for masquerade purpose',
    'Kubernetes nodeport UDP port with externalTrafficPolicy=local',
    "Kubernetes nodeport SCTP port for masquerade purpose with type 'hash ip:port'",
    "Kubernetes nodeport SCTP port with externalTrafficPolicy=local with type 'hash ip:port'",
    'Kubernetes health check node port',
    'Addresses on the ipvs interface',
  ])
})

describe('listIpsetDefinitions', () => {
  it('returns the sets of older versions, too, unless a version is given', () => {
    const names = listIpsetDefinitions('IPv4').map(({ name }) => name)
    expect(names).toContain('KUBE-NODE-PORT-SCTP')
    expect(names).toContain('KUBE-NODE-PORT-SCTP-HASH')
  })

  it('returns a definition that the kernel accepts for every set', () => {
    const definitions = listIpsetDefinitions('IPv6', featuresOf('ipvs', '1.37', new Map()))
    expect(definitions.map(({ name, type }) => ({ name, type }))).toEqual(
      listIpvsModeSets('IPv6').map(({ name, type }) => ({ name, type })),
    )
    expect(definitions[1]).toEqual({
      type: 'hash:ip,port',
      name: 'KUBE-6-CLUSTER-IP',
      family: 'inet6',
      hashsize: 1024,
      maxelem: 65536,
    })
    expect(definitions[9]).toEqual({
      type: 'bitmap:port',
      name: 'KUBE-6-NODE-PORT-TCP',
      firstPort: 0,
      lastPort: 65535,
    })
    for (const family of ['IPv4', 'IPv6'] as const) {
      const sets = listIpsetDefinitions(family).map((definition) => ({ ...definition, entries: [] }))
      expect(checkIpset({ sets })).toEqual([])
    }
  })

  it('always returns the same object for a set', () => {
    expect(ipsetDefinitionOf('KUBE-CLUSTER-IP', 'IPv4')).toBe(listIpsetDefinitions('IPv4')[1])
  })
})
