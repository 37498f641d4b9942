import { compile, type EndpointSlice, type Service } from '@kube-rules/compiler'
import { expect, it } from 'vitest'
import { at } from './reachable-from.js'

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

const configuration = { clusterCIDR: '10.244.0.0/16' }
const rules = compile(
  { services: [service], endpointSlices: [slice], nodes: [node], configuration },
  { families: ['IPv4'] },
)

it('allows pods and the node to reach the shop, and external clients only through its node port', () => {
  expect(at(rules, '10.96.0.10', 80)).toBeReachableFrom('pod')
  expect(at(rules, '10.96.0.10', 80)).toBeReachableFrom('node')
  expect(at(rules, '192.168.0.2', 30080)).toBeReachableFrom('outside')
  expect(at(rules, '192.0.2.80', 80)).not.toBeReachableFrom('outside')
})

it('toBeReachableFrom reports the actual destination of the packet on failure', () => {
  expect(() => expect(at(rules, '10.96.0.10', 81)).toBeReachableFrom('pod')).toThrow(
    /^expected an endpoint to get\n10\.244\.0\.254 -> 10\.96\.0\.10:81\/TCP, from a pod\n/,
  )
})
