import { collectManifestObjects } from '@kube-rules/types/internal/manifests/manifest-objects'
import { describe, expect, it } from 'vitest'
import { isLiveCluster } from '../../src/cluster/is-live-cluster.js'

describe('isLiveCluster', () => {
  it('ignores objects of other API groups', () => {
    const knative = { apiVersion: 'serving.knative.dev/v1', kind: 'Service', metadata: { name: 'web' } }
    const slice = { apiVersion: 'example.com/v1', kind: 'EndpointSlice', metadata: { name: 'web', namespace: 'a' } }
    expect(isLiveCluster(collectManifestObjects([knative, slice]))).toBe(false)
    expect(isLiveCluster(collectManifestObjects([{ ...slice, apiVersion: 'discovery.k8s.io/v1' }]))).toBe(true)
  })

  it.each([
    [
      'an EndpointSlice with a namespace',
      [{ kind: 'EndpointSlice', metadata: { name: 'a', namespace: 'shop' } }],
      true,
    ],
    ['no endpoints', [{ kind: 'Service', spec: { clusterIP: '10.0.0.1' } }], false],
    [
      'only Services with cluster IPs',
      [{ kind: 'Endpoints' }, { kind: 'Service', spec: { clusterIP: '10.0.0.1' } }],
      true,
    ],
    ['an ExternalName Service', [{ kind: 'Endpoints' }, { kind: 'Service', spec: { type: 'ExternalName' } }], true],
    ['a Service without a cluster IP', [{ kind: 'EndpointSlice' }, { kind: 'Service', spec: {} }], false],
  ])('for objects with %s decides whether they are from a live cluster', (_, objects, expected) => {
    expect(isLiveCluster(collectManifestObjects(objects))).toBe(expected)
  })
})
