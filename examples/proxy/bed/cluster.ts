import type { ApiObject } from '../src/reflect.js'
import type { ApiServer } from './api-server.js'
import { NODE_ADDRESS, podAddress } from './network.js'

/** The number of Services that receive requests. They always have endpoints. */
export const STEADY = 10

export const NODE = {
  metadata: { name: 'node-1' },
  spec: { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] },
  status: { addresses: [{ type: 'InternalIP', address: NODE_ADDRESS }], nodeInfo: { kubeletVersion: 'v1.34.1' } },
}

/** Returns pseudo-random numbers of a seed, below 1. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export const clusterIPOf = (index: number) => `10.96.${index >> 8}.${index & 255}`

/** Creates a cluster on the API server, with functions that change it. */
export function createCluster(api: ApiServer, serviceCount: number, podCount: number, random: () => number) {
  const endpoints = new Map<number, readonly string[]>()
  /** The endpoints that may answer: the current ones, and all others since the node was last known to match the objects. */
  const answering = new Map<number, Set<string>>()
  const pick = (count: number) => Math.floor(random() * count)

  function putService(index: number, variant: number): void {
    const name = `service-${index}`
    const protocol = index % 5 === 4 ? 'UDP' : 'TCP'
    const isNodePort = index >= STEADY && variant % 4 === 1
    const isBalanced = index >= STEADY && variant % 4 === 2
    api.put('Service', {
      metadata: { namespace: 'default', name },
      spec: {
        clusterIP: clusterIPOf(index),
        type: isBalanced ? 'LoadBalancer' : isNodePort ? 'NodePort' : 'ClusterIP',
        ports: [{ name: 'main', port: 80, protocol, ...((isNodePort || isBalanced) && { nodePort: 30_000 + index }) }],
        ...(isBalanced && { externalTrafficPolicy: 'Local', healthCheckNodePort: 32_000 + index }),
        ...(variant % 4 === 3 && { sessionAffinity: 'ClientIP' }),
      },
      ...(isBalanced && {
        status: { loadBalancer: { ingress: [{ ip: `203.0.${113 + (index >> 8)}.${index & 255}` }] } },
      }),
    } as ApiObject)
  }

  function putSlice(index: number, addresses: readonly string[]): void {
    endpoints.set(index, addresses)
    answering.set(index, answering.get(index) ?? new Set())
    for (const address of addresses) answering.get(index)?.add(address)
    api.put('EndpointSlice', {
      metadata: {
        namespace: 'default',
        name: `service-${index}-1`,
        labels: { 'kubernetes.io/service-name': `service-${index}` },
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': new Date().toISOString() },
      },
      addressType: 'IPv4',
      ports: [{ name: 'main', port: 8080, protocol: index % 5 === 4 ? 'UDP' : 'TCP' }],
      endpoints: addresses.map((address, at) => ({ addresses: [address], nodeName: at === 0 ? 'node-1' : 'node-2' })),
    } as ApiObject)
  }

  /** Draws distinct pod addresses. Only a Service without requests may have none. */
  function draw(index: number): readonly string[] {
    const count = index < STEADY ? 1 + pick(4) : pick(5)
    return [...new Set(Array.from({ length: count }, () => podAddress(pick(podCount))))]
  }

  api.put('Node', NODE)
  api.put('ServiceCIDR', { metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/12'] } } as ApiObject)
  for (let index = 0; index < serviceCount; index++) {
    putService(index, index < STEADY ? 0 : index)
    putSlice(index, draw(index))
  }
  return {
    /** Replaces the endpoints of a Service by a single one, which depends on `turn`, and returns its address. */
    changeEndpoint: (index: number, turn: number) => {
      const address = podAddress(turn % podCount)
      putSlice(index, [address])
      return address
    },
    change: () => {
      const index = pick(serviceCount)
      const kind = random()
      if (kind < 0.8 || index < STEADY) putSlice(index, draw(index))
      else if (kind < 0.9) putService(index, pick(4))
      else {
        api.remove('Service', { metadata: { namespace: 'default', name: `service-${index}` } })
        putService(index, pick(4))
      }
    },
    /**
     * Call this when a request to a Service is sent. Returns a function that reports whether an address may answer it:
     * an endpoint of the time of the request, or a later one.
     */
    expectAnswer: (index: number) => {
      const before = answering.get(index)
      return (address: string) => before?.has(address) || answering.get(index)?.has(address) || false
    },
    /** Call this if the node matches the objects: from then on, no earlier endpoint may answer a new request. */
    forgetEarlier: () => {
      for (const [index, addresses] of endpoints) answering.set(index, new Set(addresses))
    },
  }
}

export type Cluster = ReturnType<typeof createCluster>
