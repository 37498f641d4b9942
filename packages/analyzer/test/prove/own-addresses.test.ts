import type { Service } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { service, slice } from '../../../compiler/test/support/objects.js'
import { prove } from '../../src/prove/prove.js'

// Services whose own cluster IP, external IP, load-balancer IP and node port are the same address and port.

const NODE = {
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
}

const POLICIES = ['Cluster', 'Local'].flatMap((internal) =>
  ['Cluster', 'Local'].map((external) => [internal, external]),
)
const LOCATIONS: readonly (readonly string[])[] = [['node-2'], ['node-1', 'node-2'], ['node-1'], []]
const OWN: readonly Pick<Service, 'spec' | 'status'>[] = [
  { spec: { externalIPs: ['10.96.0.1'] } },
  { status: { loadBalancer: { ingress: [{ ip: '10.96.0.1' }] } } },
  { spec: { externalIPs: ['10.96.0.1'] }, status: { loadBalancer: { ingress: [{ ip: '10.96.0.1' }] } } },
  { spec: { externalIPs: ['192.168.0.2'], ports: [{ name: 'http', port: 30080, nodePort: 30080 }] } },
]

const SERVICES: readonly Service[] = OWN.flatMap(({ spec, status }) =>
  POLICIES.flatMap(([internalTrafficPolicy, externalTrafficPolicy]) =>
    [undefined, ['203.0.113.0/24']].map((loadBalancerSourceRanges) =>
      service(
        { type: 'LoadBalancer', ...spec, internalTrafficPolicy, externalTrafficPolicy, loadBalancerSourceRanges },
        status === undefined ? {} : { metadata: { namespace: 'ns1', name: 'web' }, status },
      ),
    ),
  ),
)

describe.each<[ProxyMode, string]>([
  ['iptables', '1.36'],
  ['ipvs', '1.22'],
  ['ipvs', '1.36'],
  ['nftables', '1.31'],
  ['nftables', '1.32'],
  ['nftables', '1.34'],
  ['nftables', '1.36'],
])('prove in %s mode of %s', (mode, kubernetesVersion) => {
  it('proves the rules of Services with several frontends of the same address and port', () => {
    const unproven: unknown[] = []
    let proven = 0
    for (const given of SERVICES) {
      for (const nodeNames of LOCATIONS) {
        const endpoints = nodeNames.map((nodeName, index) => ({ addresses: [`10.244.${index}.7`], nodeName }))
        const configuration = { clusterCIDR: '10.244.0.0/16' }
        const input = { services: [given], endpointSlices: [slice(endpoints)], nodes: [NODE], configuration }
        const result = compile(input, { mode, kubernetesVersion, families: ['IPv4'] })
        const [proof] = prove(result, { destinations: ['10.96.0.1', '192.168.0.2'] })
        if (proof?.verdict === 'proven') proven++
        else
          unproven.push({
            spec: given.spec,
            status: given.status,
            nodeNames,
            packet: proof?.counterexamples[0]?.packet,
          })
      }
    }
    expect(unproven).toEqual([])
    expect(proven).toBe(SERVICES.length * LOCATIONS.length)
  })
})
