import type { EndpointSlice, Endpoints, Node, Service } from '../../src/index.js'

// The type check of the tests proves this; nothing here runs. Literals of whole manifests are valid.

export const service: Service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {
    namespace: 'shop',
    name: 'web',
    uid: '7c9bd1f2-0c6f-4f2e-9c35-0c1b9ee0e0a1',
    resourceVersion: '4711',
    creationTimestamp: '2026-01-01T00:00:00Z',
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'a', controller: true }],
  },
  spec: {
    type: 'LoadBalancer',
    selector: { app: 'web' },
    clusterIP: '10.96.0.1',
    ipFamilyPolicy: 'SingleStack',
    loadBalancerIP: '192.0.2.10',
    loadBalancerClass: 'example.com/internal',
    allocateLoadBalancerNodePorts: false,
    publishNotReadyAddresses: true,
    trafficDistribution: 'PreferClose',
    ports: [
      { name: 'http', port: 80, targetPort: 8080, appProtocol: 'http' },
      { name: 'https', port: 443, targetPort: 'tls' },
    ],
  },
}

export const endpointSlice: EndpointSlice = {
  metadata: { name: 'web-x7k2p', namespace: 'shop', generateName: 'web-', labels: {} },
  addressType: 'IPv4',
  endpoints: [
    {
      addresses: ['10.244.1.5'],
      targetRef: { kind: 'Pod', name: 'web-1', namespace: 'shop', uid: 'b' },
      hostname: 'web-1',
      deprecatedTopology: { 'topology.kubernetes.io/zone': 'a' },
    },
  ],
  ports: [{ port: 8080, appProtocol: 'http' }],
}

export const endpoints: Endpoints = {
  metadata: { name: 'web', namespace: 'shop' },
  subsets: [
    {
      addresses: [{ ip: '10.244.1.5', hostname: 'web-1', targetRef: { kind: 'Pod', name: 'web-1' } }],
      ports: [{ port: 8080, appProtocol: 'http' }],
    },
  ],
}

export const node: Node = {
  metadata: { name: 'worker-1' },
  spec: { podCIDR: '10.244.1.0/24', providerID: 'kind://worker-1', taints: [{ key: 'a', effect: 'NoSchedule' }] },
  status: { nodeInfo: { kubeProxyVersion: 'v1.34.0', kernelVersion: '6.18.0' } },
}

export const misspelled: Service = {
  // @ts-expect-error the name of the field is externalTrafficPolicy
  spec: { externalTraficPolicy: 'Local' },
}
