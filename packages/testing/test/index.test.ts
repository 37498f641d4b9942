import { compile } from '@kube-rules/compiler'
import { decide } from '@kube-rules/compiler/plan'
import type { Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../compiler/test/support/runs.js'
import {
  anyCluster,
  anyConfiguration,
  anyEndpointSlices,
  anyNode,
  anyPacket,
  anyService,
  type Cluster,
  type ClusterOptions,
} from '../src/index.js'
import { rejectionsOf, sharedValuesOf } from './support/rejections.js'

const COUNT = 400

function shareOf<T>(items: readonly T[], shows: (item: T) => boolean): number {
  return (100 * items.filter(shows).length) / items.length
}

function compiled(cluster: Cluster, options: ClusterOptions = {}) {
  const { mode, kubernetesVersion } = options
  return compile(cluster, { nodeName: 'node-1', mode, kubernetesVersion })
}

function errorsOf(cluster: Cluster, options: ClusterOptions = {}): readonly string[] {
  // Clusters that the API server need not accept may lack the Node.
  const isExpected = (code: string) => options.accepted === false && code === 'unknownNode'
  return compiled(cluster, options).diagnostics.flatMap(({ severity, code, message }) =>
    severity === 'error' && !isExpected(code) ? [message] : [],
  )
}

describe('anyService', () => {
  it('generates Services that the API server accepts', () => {
    fc.assert(
      fc.property(anyService(), (service) => {
        expect(rejectionsOf(service)).toEqual([])
      }),
      { numRuns: runs(2000) },
    )
  })

  const services = fc.sample(anyService(), { numRuns: COUNT, seed: 1 })

  it.each<readonly [number, string, (service: Service) => unknown]>([
    [10, 'of the type ClusterIP', ({ spec }) => spec?.type === 'ClusterIP'],
    [10, 'of the type NodePort', ({ spec }) => spec?.type === 'NodePort'],
    [20, 'of the type LoadBalancer', ({ spec }) => spec?.type === 'LoadBalancer'],
    [1, 'of the type ExternalName', ({ spec }) => spec?.type === 'ExternalName'],
    [20, 'with two families', ({ spec }) => (spec?.ipFamilies?.length ?? 0) > 1],
    [1, 'without a cluster IP', ({ spec }) => spec?.clusterIP === 'None'],
    [20, 'with several ports', ({ spec }) => (spec?.ports?.length ?? 0) > 1],
    [10, 'with a health-check node port', ({ spec }) => spec?.healthCheckNodePort],
    [10, 'with session affinity', ({ spec }) => spec?.sessionAffinity === 'ClientIP'],
    [20, 'with external IPs', ({ spec }) => spec?.externalIPs?.length],
    [10, 'with source ranges', ({ spec }) => spec?.loadBalancerSourceRanges?.length],
    [3, 'with a load balancer without node ports', ({ spec }) => spec?.allocateLoadBalancerNodePorts === false],
    [20, 'with load-balancer IPs', ({ status }) => status?.loadBalancer?.ingress?.some(({ ip }) => ip)],
  ])('generates in at least %i of 100 cases a Service %s', (least, _, shows) => {
    expect(shareOf(services, (service) => Boolean(shows(service)))).toBeGreaterThanOrEqual(least)
  })
})

describe('anyCluster', () => {
  it('generates Services that the API server accepts together', () => {
    fc.assert(
      fc.property(anyCluster(), ({ services }) => {
        expect(services.flatMap(rejectionsOf)).toEqual([])
        expect(sharedValuesOf(services)).toEqual([])
      }),
      { numRuns: runs(1000) },
    )
  })

  it('generates Services that the API server rejects on request', () => {
    const clusters = fc.sample(anyCluster({ accepted: false }), { numRuns: COUNT, seed: 1 })
    expect(shareOf(clusters, ({ services }) => services.some((each) => rejectionsOf(each).length > 0))).toBeGreaterThan(
      50,
    )
    expect(shareOf(clusters, ({ services }) => sharedValuesOf(services).length > 0)).toBeGreaterThan(10)
  })

  it.each<ClusterOptions>([
    {},
    { accepted: false },
    { mode: 'nftables', kubernetesVersion: '1.31' },
    { mode: 'ipvs', kubernetesVersion: '1.22' },
    { mode: 'userspace', kubernetesVersion: '1.14' },
  ])('generates clusters that compile without errors with %j', (options) => {
    fc.assert(
      fc.property(anyCluster(options), (cluster) => {
        expect(errorsOf(cluster, options)).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  it('generates slices with only the families and ports of their Services', () => {
    const clusters = fc.sample(anyCluster(), { numRuns: runs(300), seed: 1 })
    const slices = clusters.flatMap(({ services, endpointSlices }) =>
      endpointSlices.flatMap((slice) => {
        const owner = services.find(
          ({ metadata }) =>
            metadata?.name === slice.metadata?.labels?.['kubernetes.io/service-name'] &&
            metadata?.namespace === slice.metadata?.namespace,
        )
        return owner?.spec?.ipFamilies ? [{ slice, spec: owner.spec }] : []
      }),
    )
    expect(slices.length).toBeGreaterThan(100)
    for (const { slice, spec } of slices) {
      expect(spec.ipFamilies).toContain(slice.addressType)
      const names = (spec.ports ?? []).map(({ name }) => name ?? '')
      expect(names).toEqual(expect.arrayContaining((slice.ports ?? []).map(({ name }) => name)))
    }
  })

  it('generates clusters with traffic to several endpoints', () => {
    const plans = fc
      .sample(anyCluster(), { numRuns: COUNT, seed: 1 })
      .flatMap((cluster) => compiled(cluster).families.map(({ plan }) => plan.services))
    expect(shareOf(plans, (services) => services.some(({ reachable }) => reachable.length > 1))).toBeGreaterThan(50)
  })

  it('shrinks to one Service with one endpoint', () => {
    const { counterexample } = fc.check(
      fc.property(anyCluster(), (cluster) =>
        compiled(cluster).families.every(({ plan }) => plan.services.every(({ reachable }) => reachable.length === 0)),
      ),
      { seed: 1, numRuns: 100, endOnFailure: false },
    )
    const [smallest] = counterexample ?? []
    expect(smallest?.services.map(({ spec }) => spec)).toEqual([
      {
        ...{ type: 'ClusterIP', sessionAffinity: 'None', internalTrafficPolicy: 'Cluster' },
        ...{ clusterIP: expect.any(String), clusterIPs: [expect.any(String)], ipFamilies: [expect.any(String)] },
        ...{ ipFamilyPolicy: 'SingleStack', ports: [expect.anything()] },
      },
    ])
    expect(smallest?.endpointSlices.flatMap(({ endpoints }) => endpoints ?? [])).toHaveLength(1)
    expect(smallest).toMatchObject({ endpoints: [], serviceCIDRs: [], configuration: {}, host: undefined })
  })
})

describe('anyEndpointSlices', () => {
  const service: Service = {
    metadata: { namespace: 'shop', name: 'web' },
    spec: {
      clusterIP: 'fd00:96::10',
      ports: [
        { name: 'web', port: 80, targetPort: 8080 },
        { name: 'metrics', protocol: 'UDP', port: 9090, targetPort: 'metrics' },
      ],
    },
  }

  it('generates slices with the name, the family and the ports of the Service', () => {
    const slices = fc.sample(anyEndpointSlices(service), { numRuns: 100, seed: 1 }).flat()
    expect(slices.length).toBeGreaterThan(50)
    for (const { metadata, addressType, ports = [] } of slices) {
      expect(metadata).toMatchObject({ namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } })
      expect(addressType).toBe('IPv6')
      expect([
        { name: 'web', protocol: 'TCP', port: 8080 },
        { name: 'metrics', protocol: 'UDP', port: 9090 },
      ]).toEqual(expect.arrayContaining([...(ports ?? [])]))
    }
  })
})

describe('anyNode and anyConfiguration', () => {
  it.each(['iptables', 'ipvs', 'nftables'] as const)('generate objects that %s mode accepts', (mode) => {
    const objects = fc.record({
      node: anyNode(),
      configuration: anyConfiguration({ mode, kubernetesVersion: '1.33' }),
    })
    fc.assert(
      fc.property(objects, ({ node, configuration }) => {
        const input = { services: [], nodes: [node], configuration }
        const { diagnostics } = compile(input, { nodeName: 'node-1', mode, kubernetesVersion: '1.33' })
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  it('generate Nodes with the name, with one and with two families', () => {
    const nodes = fc.sample(anyNode('worker'), { numRuns: 100, seed: 1 })
    expect(nodes.every(({ metadata }) => metadata?.name === 'worker')).toBe(true)
    expect(new Set(nodes.map(({ spec }) => spec?.podCIDRs?.length))).toEqual(new Set([undefined, 1, 2]))
  })
})

describe('anyPacket', () => {
  it('generates packets that reach endpoints, and others', () => {
    const plans = fc
      .sample(anyCluster(), { numRuns: 100, seed: 1 })
      .flatMap((cluster) => compiled(cluster).families.map(({ plan }) => plan))
    const kinds = plans.flatMap((plan, seed) =>
      fc.sample(anyPacket(plan), { numRuns: 4, seed }).map((packet) => decide(plan, packet).kind),
    )
    expect(shareOf(kinds, (kind) => kind === 'endpoints')).toBeGreaterThan(30)
    expect(shareOf(kinds, (kind) => kind === 'unmatched')).toBeGreaterThan(5)
    expect(new Set(kinds)).toContain('reject')
  })
})
