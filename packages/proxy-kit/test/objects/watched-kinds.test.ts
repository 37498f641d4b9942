import { describe, expect, it } from 'vitest'
import { keepUsedFields, watchedKindsOf } from '../../src/objects/watched-kinds.js'

describe('watchedKindsOf', () => {
  it('excludes objects of other proxies, and all Nodes except the Node of the proxy', () => {
    expect(watchedKindsOf('node-1', 'ipvs').map(({ path, query }) => `${path}?${new URLSearchParams(query)}`)).toEqual([
      '/api/v1/services?labelSelector=%21service.kubernetes.io%2Fservice-proxy-name',
      '/apis/discovery.k8s.io/v1/endpointslices?labelSelector=%21service.kubernetes.io%2Fheadless',
      '/api/v1/nodes?fieldSelector=metadata.name%3Dnode-1',
    ])
  })

  it('returns ServiceCIDRs as an optional kind in nftables mode', () => {
    expect(watchedKindsOf('node-1', 'nftables')[3]).toEqual({
      kind: 'ServiceCIDR',
      path: '/apis/networking.k8s.io/v1/servicecidrs',
      isOptional: true,
    })
  })
})

describe('keepUsedFields', () => {
  const metadata = { namespace: 'ns1', name: 'web', labels: { app: 'web' }, annotations: {} }

  it('keeps the spec and the status of a Service, because rules depend on them', () => {
    const loadBalancer = { ingress: [{ ip: '203.0.113.1' }] }
    const service = { metadata: { ...metadata, uid: '1' }, spec: { clusterIP: '10.96.0.1' }, status: { loadBalancer } }
    expect(keepUsedFields('Service', { ...service, apiVersion: 'v1' })).toEqual({ ...service, metadata })
  })

  it('keeps an EndpointSlice without the targets of its endpoints and unknown annotations', () => {
    const annotations = { 'endpoints.kubernetes.io/last-change-trigger-time': '2026-01-01T00:00:00Z' }
    const kept = { addressType: 'IPv4', ports: [], endpoints: [{ addresses: ['10.244.1.1'], nodeName: 'node-1' }] }
    const endpoints = kept.endpoints.map((endpoint) => ({ ...endpoint, targetRef: { kind: 'Pod' } }))
    const given = { ...kept, endpoints, metadata: { ...metadata, annotations: { ...annotations, other: 'text' } } }
    expect(keepUsedFields('EndpointSlice', given)).toEqual({ ...kept, metadata: { ...metadata, annotations } })
  })

  it('lets ready endpoints share their conditions, and keeps all others', () => {
    const all = [
      { ready: true, serving: true, terminating: false },
      { ready: true, serving: true, terminating: false },
      { ready: false, serving: true, terminating: true },
    ]
    const endpoints = all.map((conditions) => ({ addresses: ['10.244.1.1'], conditions }))
    const kept = keepUsedFields('EndpointSlice', { metadata, endpoints }) as { endpoints: typeof endpoints }
    expect(kept.endpoints).toEqual(endpoints)
    expect(kept.endpoints[0]?.conditions).toBe(kept.endpoints[1]?.conditions)
  })

  it('returns equal objects for a Node before and after a heartbeat', () => {
    const heartbeat = (time: string) => ({ metadata, spec: {}, status: { conditions: [{ lastHeartbeatTime: time }] } })
    const [before, after] = ['1', '2'].map((time) => JSON.stringify(keepUsedFields('Node', heartbeat(time))))
    expect(after).toBe(before)
  })
})
