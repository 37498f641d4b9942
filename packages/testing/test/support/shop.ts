import type { CompileInput, EndpointSlice, Service } from '@kube-rules/compiler'

export const SERVICE: Service = {
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

/** A LoadBalancer Service with two endpoints, which only accepts clients of one network at its load-balancer IP. */
export const SHOP: CompileInput = {
  services: [SERVICE],
  endpointSlices: [slice],
  nodes: [{ metadata: { name: 'node-1' }, status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] } }],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}
