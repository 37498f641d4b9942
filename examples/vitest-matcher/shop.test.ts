import { compile, type EndpointSlice, type Service } from '@kube-rules/compiler'
import { anyCluster } from '@kube-rules/testing'
import '@kube-rules/testing/vitest'
import fc from 'fast-check'
import { expect, it } from 'vitest'

const service: Service = {
  metadata: { namespace: 'shop', name: 'web' },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.10',
    ports: [{ name: 'http', port: 80, nodePort: 30080 }],
    loadBalancerSourceRanges: ['203.0.113.0/24'],
  },
  status: { loadBalancer: { ingress: [{ ip: '192.0.2.80' }] } },
}
const slice: EndpointSlice = {
  metadata: { namespace: 'shop', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
  addressType: 'IPv4',
  ports: [{ name: 'http', port: 8080 }],
  endpoints: [{ addresses: ['10.244.1.5'] }, { addresses: ['10.244.2.7'] }],
}
const node = { metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }

const shop = { services: [service], endpointSlices: [slice], nodes: [node] }
const configuration = { clusterCIDR: '10.244.0.0/16' }
const rules = compile({ ...shop, configuration }, { families: ['IPv4'], kubernetesVersion: '1.34' })

const toClusterIP = { destination: '10.96.0.10', destinationPort: 80 }
const toNodePort = { destination: '192.168.0.2', destinationPort: 30080 }
const toLoadBalancer = { destination: '192.0.2.80', destinationPort: 80 }

it('allows pods and the node to reach the shop, and external clients only through its node port', () => {
  expect(rules).toReach({ origin: 'pod', ...toClusterIP }, ['10.244.1.5:8080', '10.244.2.7:8080'])
  expect(rules).toReach({ origin: 'node', ...toClusterIP })
  expect(rules).toReach({ origin: 'outside', ...toNodePort })
  expect(rules).not.toReach({ origin: 'outside', ...toLoadBalancer })
  expect(rules).toReach({ origin: 'outside', source: '203.0.113.7', ...toLoadBalancer })
})

it('reports the actual destination of the packet on failure', () => {
  expect(() => expect(rules).toReach({ origin: 'pod', destination: '10.96.0.10', destinationPort: 81 })).toThrow(
    /^expected packets to reach an endpoint, got\n10\.244\.0\.254 -> 10\.96\.0\.10:81\/TCP, from a pod\n/,
  )
})

it('has these rules in ipvs mode', () => {
  const [family] = compile({ ...shop, configuration }, { families: ['IPv4'], mode: 'ipvs' }).families
  expect({ family: 'IPv4', ipvs: family?.state.ipvs }).toMatchInlineSnapshot(`
    -A -t 10.96.0.10:80 -s rr
    -a -t 10.96.0.10:80 -r 10.244.1.5:8080 -m -w 1
    -a -t 10.96.0.10:80 -r 10.244.2.7:8080 -m -w 1
    -A -t 192.0.2.80:80 -s rr
    -a -t 192.0.2.80:80 -r 10.244.1.5:8080 -m -w 1
    -a -t 192.0.2.80:80 -r 10.244.2.7:8080 -m -w 1
    -A -t 192.168.0.2:30080 -s rr
    -a -t 192.168.0.2:30080 -r 10.244.1.5:8080 -m -w 1
    -a -t 192.168.0.2:30080 -r 10.244.2.7:8080 -m -w 1
  `)
})

it('is reached by pods in any cluster', () => {
  fc.assert(
    fc.property(anyCluster(), (cluster) => {
      const services = [...cluster.services, service]
      const endpointSlices = [...cluster.endpointSlices, slice]
      const added = compile({ ...cluster, services, endpointSlices }, { nodeName: 'node-1', families: ['IPv4'] })
      expect(added).toReach({ origin: 'pod', ...toClusterIP }, ['10.244.1.5:8080', '10.244.2.7:8080'])
    }),
    { numRuns: 20 },
  )
}, 60_000)
