import type { SliceEndpoint } from '@kube-rules/types'
import { describe, expect, it } from 'vitest'
import { DUAL_STACK, loadBalancer, modelOf, service, slice } from '../../support/objects.js'

const LOCAL = { ...DUAL_STACK, externalTrafficPolicy: 'Local', healthCheckNodePort: 30100 }

function here(address: string, ready = true): SliceEndpoint {
  return { addresses: [address], nodeName: 'node-1', conditions: { ready, serving: true, terminating: !ready } }
}

const there = (address: string): SliceEndpoint => ({ addresses: [address], nodeName: 'node-2' })

describe('health-check node ports of a family', () => {
  it('count each local ready address once, even for slice ports that have no service port', () => {
    const services = [
      loadBalancer({
        ...LOCAL,
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      }),
    ]
    const endpointSlices = [
      slice([here('10.0.0.1'), here('10.0.0.2', false), there('10.0.0.3')], {
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      }),
      slice([here('10.0.0.1'), here('10.0.0.4')], { name: 'web-2', ports: [{ name: 'c', port: 3 }] }),
      slice([here('fd00::1')], { name: 'web-3', addressType: 'IPv6', ports: [{ name: 'a', port: 1 }] }),
    ]
    const of = (family: 'IPv4' | 'IPv6') => modelOf({ services, endpointSlices }, family).healthCheckNodePorts
    expect(of('IPv4')).toEqual([{ namespace: 'ns1', name: 'web', port: 30100, localEndpoints: 2 }])
    expect(of('IPv6')).toEqual([{ namespace: 'ns1', name: 'web', port: 30100, localEndpoints: 1 }])
  })

  it('are also listed for a Service without endpoints', () => {
    const { healthCheckNodePorts } = modelOf({ services: [loadBalancer(LOCAL)] }, 'IPv4')
    expect(healthCheckNodePorts).toEqual([{ namespace: 'ns1', name: 'web', port: 30100, localEndpoints: 0 }])
  })

  it('are sorted by namespace and name', () => {
    const named = (namespace: string, name: string) => ({ ...loadBalancer(LOCAL), metadata: { namespace, name } })
    const services = [named('b', 'a'), named('a', 'b'), named('a', 'a')]
    const { healthCheckNodePorts } = modelOf({ services }, 'IPv4')
    expect(healthCheckNodePorts.map(({ namespace, name }) => `${namespace}/${name}`)).toEqual(['a/a', 'a/b', 'b/a'])
  })

  it.each([
    ['with external traffic policy Cluster', loadBalancer({ ...LOCAL, externalTrafficPolicy: 'Cluster' })],
    ['of type NodePort', service({ ...LOCAL, type: 'NodePort' })],
    ['without service ports', loadBalancer({ ...LOCAL, ports: [] })],
    ['of the other family', loadBalancer({ ...LOCAL, ipFamilies: ['IPv6'], clusterIPs: ['fd00::1'] })],
  ])('exclude a Service %s', (_name, object) => {
    expect(modelOf({ services: [object] }, 'IPv4').healthCheckNodePorts).toEqual([])
  })
})
