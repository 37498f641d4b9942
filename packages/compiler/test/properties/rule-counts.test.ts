import type { EndpointSlice, Service, ServiceSpec } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../src/compilation/compile.js'
import { printFamily } from '../support/print-family.js'

// The rule counts in `number_generated_rules_test.go` of kube-proxy, as formulas over the number of Services (S) and
// the number of endpoints of each Service (E). kube-proxy has added two rules since then: one in KUBE-FIREWALL of the
// filter table if node ports listen on 127.0.0.0/8, and one at the end of each KUBE-FW chain that only counts packets.

interface RuleCounts {
  readonly filter: number
  readonly nat: number
}

function countRules(text: string): RuleCounts {
  const [filter = '', nat = ''] = text.split('*nat\n')
  const rules = (table: string) => table.split('\n').filter((line) => line.startsWith('-A ')).length
  return { filter: rules(filter), nat: rules(nat) }
}

function serviceOf(index: number, spec: ServiceSpec, status?: Service['status']): Service {
  const isExternal = spec.type === 'LoadBalancer' || spec.type === 'NodePort'
  return {
    metadata: { namespace: 'ns', name: `svc${index}` },
    spec: {
      clusterIP: `10.96.${index}.1`,
      ports: [{ name: 'p', port: 80, nodePort: isExternal ? 30_000 + index : 0 }],
      ...spec,
    },
    status,
  }
}

function sliceOf(index: number, endpoints: number): EndpointSlice {
  return {
    metadata: { namespace: 'ns', name: `svc${index}`, labels: { 'kubernetes.io/service-name': `svc${index}` } },
    addressType: 'IPv4',
    ports: [{ name: 'p', port: 8080 }],
    endpoints: Array.from({ length: endpoints }, (_, host) => ({ addresses: [`172.16.${index}.${host}`] })),
  }
}

interface Size {
  readonly services: number
  readonly endpoints: number
  /** Whether node ports listen on 127.0.0.0/8. */
  readonly localhost: boolean
}

function countsOf(
  { services, endpoints, localhost }: Size,
  spec: ServiceSpec,
  status?: Service['status'],
  clusterCIDR = '10.0.0.0/8',
): RuleCounts {
  const indices = Array.from({ length: services }, (_, index) => index)
  const result = compile(
    {
      services: indices.map((index) => serviceOf(index, spec, status)),
      endpointSlices: indices.map((index) => sliceOf(index, endpoints)),
      configuration: { clusterCIDR, iptables: { localhostNodePorts: localhost } },
    },
    { mode: 'iptables' },
  )
  return countRules(printFamily(result, { family: 'IPv4' }))
}

function sizes(endpoints: fc.Arbitrary<number>): fc.Arbitrary<Size> {
  return fc.record({ services: fc.nat(8), endpoints, localhost: fc.boolean() })
}

const SERVED = sizes(fc.integer({ min: 1, max: 8 }))
const UNSERVED = sizes(fc.constant(0))

function forEvery(size: fc.Arbitrary<Size>, check: (size: Size, filterBase: number) => void): void {
  fc.assert(
    fc.property(size, (given) => check(given, given.localhost ? 4 : 3)),
    { numRuns: 15 },
  )
}

describe('the numbers of filter and nat rules for S Services with E endpoints', () => {
  it('are 3 and 5 + S(2 + 3E) with cluster IPs', () => {
    forEvery(SERVED, (size, filter) => {
      const nat = 5 + size.services * (2 + 3 * size.endpoints)
      expect(countsOf(size, { type: 'ClusterIP' })).toEqual({ filter, nat })
    })
  })

  it('are 3 and 5 + S(1 + 3E) with cluster IPs if the pod network is unknown', () => {
    forEvery(SERVED, (size, filter) => {
      const nat = 5 + size.services * (1 + 3 * size.endpoints)
      expect(countsOf(size, { type: 'ClusterIP' }, undefined, '')).toEqual({ filter, nat })
    })
  })

  it('are 3 + S and 5 with cluster IPs if there are no endpoints', () => {
    forEvery(UNSERVED, (size, filter) => {
      expect(countsOf(size, { type: 'ClusterIP' })).toEqual({ filter: filter + size.services, nat: 5 })
    })
  })

  it('are 3 and 5 + S(2 + 4E) with cluster IPs and session affinity', () => {
    forEvery(SERVED, (size, filter) => {
      const nat = 5 + size.services * (2 + 4 * size.endpoints)
      expect(countsOf(size, { sessionAffinity: 'ClientIP' })).toEqual({ filter, nat })
    })
  })

  it('are 3 and 5 + S(5 + 3E) with node ports', () => {
    forEvery(SERVED, (size, filter) => {
      const nat = 5 + size.services * (5 + 3 * size.endpoints)
      expect(countsOf(size, { type: 'NodePort' })).toEqual({ filter, nat })
    })
  })

  const balanced: ServiceSpec = {
    type: 'LoadBalancer',
    externalIPs: ['1.2.3.4'],
    loadBalancerSourceRanges: [' 1.2.3.4/28'],
  }
  const status = { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } }

  it('are 3 + S and 5 + S(8 + 1 + 3E) with load balancers that have an external IP and a source range', () => {
    forEvery(SERVED, (size, filter) => {
      const nat = 5 + size.services * (9 + 3 * size.endpoints)
      expect(countsOf(size, balanced, status)).toEqual({ filter: filter + size.services, nat })
    })
  })

  it('are 3 + 4S and 5 with load balancers if there are no endpoints', () => {
    forEvery(UNSERVED, (size, filter) => {
      expect(countsOf(size, balanced, status)).toEqual({ filter: filter + 4 * size.services, nat: 5 })
    })
  })
})
