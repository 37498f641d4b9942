import { DiagnosticsError, type Node, type Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../src/compilation/compile.js'
import type { CompileInput } from '../../../src/compilation/compile-result.js'
import { isEmptyPatch } from '../../../src/diff/diff.js'
import { compileNodes } from '../../../src/many-nodes/compile-nodes.js'
import { findNodeVersion } from '../../../src/model/node/node-version.js'
import { createTracker } from '../../../src/tracker/tracker.js'
import type { TrackedObject, TrackedObjectKind, Tracker, TrackerUpdate } from '../../../src/tracker/tracker-types.js'
import { at, service, slice } from '../../support/objects.js'

const OPTIONS = { nodeName: 'node-1', families: ['IPv4'] } as const

const CORE = { apiVersion: 'v1', kind: 'Service', ...service() }
const SLICE = { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', ...slice(at('10.244.1.1')) }
const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'node-1' },
  status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }], nodeInfo: { kubeletVersion: 'v1.36.0' } },
} as Node
const ENDPOINTS = {
  apiVersion: 'v1',
  kind: 'Endpoints',
  metadata: { namespace: 'ns1', name: 'web' },
  subsets: [{ addresses: [{ ip: '10.244.1.9' }], ports: [{ name: 'http', port: 80 }] }],
}
const CIDR = { apiVersion: 'networking.k8s.io/v1', metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } }

/** Objects of other API groups, each with the kind and the name of an object of the cluster. */
const KNATIVE = {
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { namespace: 'ns1', name: 'web' },
  spec: { template: { spec: { containers: [] } } },
} as Service
const FOREIGN_SLICE = { ...SLICE, apiVersion: 'example.com/v1', endpoints: [] }
const FOREIGN_ENDPOINTS = { ...ENDPOINTS, apiVersion: 'example.com/v1' }
const FOREIGN_NODE = {
  ...NODE,
  apiVersion: 'example.com/v1',
  status: { nodeInfo: { kubeletVersion: 'v1.30.0' } },
} as Node
const FOREIGN_CIDR = { ...CIDR, apiVersion: 'example.com/v1', spec: { cidrs: ['10.97.0.0/16'] } }

const CLUSTER: CompileInput = {
  services: [CORE],
  endpointSlices: [SLICE],
  endpoints: [ENDPOINTS],
  nodes: [NODE],
  serviceCIDRs: [CIDR],
}
const MIXED: CompileInput = {
  services: [CORE, KNATIVE],
  endpointSlices: [FOREIGN_SLICE, SLICE],
  endpoints: [FOREIGN_ENDPOINTS, ENDPOINTS],
  nodes: [FOREIGN_NODE, NODE],
  serviceCIDRs: [CIDR, FOREIGN_CIDR],
}

/** The kinds and messages of the errors about MIXED, sorted. */
const EXPECTED_ERRORS = [
  'EndpointSlice: "example.com/v1" is another API group (expected discovery.k8s.io/v1)',
  'Endpoints: "example.com/v1" is another API group (expected v1)',
  'Node: "example.com/v1" is another API group (expected v1)',
  'Service: "serving.knative.dev/v1" is another API group (expected v1)',
  'ServiceCIDR: "example.com/v1" is another API group (expected networking.k8s.io/v1)',
]

function errorsOf({ diagnostics }: ReturnType<typeof compile>): readonly string[] {
  return diagnostics
    .filter(({ code }) => code === 'otherApiGroup')
    .map(({ object, severity, path, message, expected }) => {
      expect([severity, path]).toEqual(['error', 'apiVersion'])
      return `${object.kind}: ${message} (expected ${expected})`
    })
    .sort()
}

function sync(tracker: Tracker): TrackerUpdate {
  const update = tracker.sync()
  tracker.markApplied()
  return update
}

describe('compile with an object of another API group', () => {
  it.each(['iptables', 'ipvs', 'nftables'] as const)('leaves it out and reports it in %s mode', (mode) => {
    const result = compile(MIXED, { ...OPTIONS, mode })
    expect(result.families).toEqual(compile(CLUSTER, { ...OPTIONS, mode }).families)
    expect(errorsOf(result)).toEqual(EXPECTED_ERRORS)
    expect(() => compile(MIXED, { ...OPTIONS, mode, strict: true })).toThrow(DiagnosticsError)
  })

  it('reports the Node of another group and of no group as unknown', () => {
    const { diagnostics } = compile({ services: [], nodes: [FOREIGN_NODE] }, OPTIONS)
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      'error otherApiGroup',
      'warning unknownNode',
      expect.any(String),
    ])
  })

  it.each([
    [undefined, 1],
    [null, 1],
    ['', 1],
    ['v1', 1],
    ['v2', 0],
    ['core/v1', 0],
    ['/v1', 0],
    [7, 0],
    [{}, 0],
  ])('serves a Service with the apiVersion %j on %i service ports', (apiVersion, servicePorts) => {
    const result = compile({ services: [{ ...CORE, apiVersion } as Service] }, OPTIONS)
    expect(result.counts.servicePorts).toBe(servicePorts)
    expect(errorsOf(result)).toHaveLength(1 - servicePorts)
  })

  it.each([
    ['discovery.k8s.io/v1beta1', 1],
    ['discovery.k8s.io/v2', 1],
    ['discovery.k8s.io', 0],
    ['discovery.k8s.io.example.com/v1', 0],
    ['v1', 0],
  ])('uses a slice with the apiVersion %s for %i endpoints', (apiVersion, endpoints) => {
    const result = compile({ services: [CORE], endpointSlices: [{ ...SLICE, apiVersion }] }, OPTIONS)
    expect(result.counts.endpoints).toBe(endpoints)
  })

  it('throws for a configuration of another group', () => {
    const configuration = { apiVersion: 'example.com/v1', kind: 'KubeProxyConfiguration' }
    expect(() => compile({ services: [], configuration }, OPTIONS)).toThrow('apiVersion')
  })

  it.each([
    [{ kind: 'ServiceList', apiVersion: 'serving.knative.dev/v1', items: [] }, 'apiVersion'],
    [{ kind: 'List', apiVersion: 'v1', items: [CORE, KNATIVE] }, 'items[1].apiVersion'],
  ])('throws for the API list %j', (services, path) => {
    const call = () => compile({ services } as CompileInput, OPTIONS)
    expect(call).toThrow(`Argument services: ${path}: "serving.knative.dev/v1" is another API group (expected v1)`)
  })

  it('finds changed and removed objects of another group', () => {
    const first = compile(MIXED, OPTIONS)
    const second = compile({ ...MIXED, services: [CORE, { ...KNATIVE }] }, { ...OPTIONS, previous: first })
    expect(errorsOf(second)).toEqual(EXPECTED_ERRORS)
    const third = compile(CLUSTER, { ...OPTIONS, previous: second })
    expect(errorsOf(third)).toEqual([])
    expect(third).toEqual(compile(CLUSTER, OPTIONS))
  })
})

describe('compileNodes with an object of another API group', () => {
  it('returns the results of compile, and none for a Node of another group', () => {
    const other = { ...NODE, metadata: { name: 'node-2' } }
    const alien = { ...FOREIGN_NODE, metadata: { name: 'node-3' } }
    const input = { ...MIXED, nodes: [alien, FOREIGN_NODE, NODE, other] }
    const results = [...compileNodes(input, { families: ['IPv4'] })]
    expect(results.map(({ nodeName }) => nodeName)).toEqual(['node-1', 'node-2'])
    for (const { nodeName, result } of results) {
      expect(result).toEqual(compile(input, { families: ['IPv4'], nodeName }))
    }
  })
})

describe('findNodeVersion with a Node of another API group', () => {
  it('ignores this Node', () => {
    expect(findNodeVersion([FOREIGN_NODE, NODE], 'node-1', undefined)?.version).toBe('1.36')
    expect(findNodeVersion([FOREIGN_NODE], undefined, undefined)).toBeUndefined()
  })
})

describe('a tracker with an object of another API group', () => {
  const FOREIGN: readonly TrackedObject[] = [
    KNATIVE,
    FOREIGN_SLICE,
    FOREIGN_ENDPOINTS,
    FOREIGN_NODE,
    { kind: 'ServiceCIDR', ...FOREIGN_CIDR } as TrackedObject,
    { kind: 'KubeProxyConfiguration', apiVersion: 'example.com/v1', mode: 'ipvs' } as TrackedObject,
  ]

  function started(): Tracker {
    const tracker = createTracker(OPTIONS)
    for (const object of [CORE, SLICE, ENDPOINTS, NODE]) tracker.upsert(object as TrackedObject)
    tracker.upsert({ kind: 'KubeProxyConfiguration', mode: 'iptables' } as TrackedObject)
    sync(tracker)
    return tracker
  }

  it.each(FOREIGN)('ignores every event of $apiVersion $kind', (object) => {
    const { kind } = object as { readonly kind: TrackedObjectKind }
    for (const known of [undefined, kind]) {
      const tracker = started()
      for (const type of ['ADDED', 'MODIFIED', 'DELETED']) expect(tracker.apply({ type, object }, known)).toBe(false)
      expect(tracker.upsert(object, known)).toBe(false)
      expect(tracker.delete(object, known)).toBe(false)
      const { patch, result } = sync(tracker)
      expect(isEmptyPatch(patch)).toBe(true)
      expect([result.mode, result.counts.servicePorts, result.counts.endpoints]).toEqual(['iptables', 1, 1])
    }
  })

  it('leaves it out of a complete list, and reports it', () => {
    const tracker = started()
    tracker.replace('Service', [CORE, KNATIVE])
    tracker.replace('Node', [NODE, FOREIGN_NODE])
    tracker.replace('KubeProxyConfiguration', [{ mode: 'iptables' }, { apiVersion: 'example.com/v1', mode: 'ipvs' }])
    const { patch, result } = sync(tracker)
    expect(isEmptyPatch(patch)).toBe(true)
    expect(errorsOf(result)).toEqual(EXPECTED_ERRORS.filter((message) => /^(Node|Service):/.test(message)))
    tracker.replace('Service', [CORE])
    expect(errorsOf(sync(tracker).result)).toHaveLength(1)
  })

  it('has the same result as without it for any mixed stream', () => {
    const objects = [CORE, SLICE, ENDPOINTS, NODE, ...FOREIGN] as const
    let ignored = 0
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), fc.constantFrom(...objects)), {
          maxLength: 20,
        }),
        (events) => {
          const mixed = createTracker(OPTIONS)
          const pure = createTracker(OPTIONS)
          for (const [type, object] of events) {
            const isForeign = FOREIGN.includes(object as TrackedObject)
            if (isForeign) ignored++
            else expect(mixed.apply({ type, object })).toBe(pure.apply({ type, object }))
            if (isForeign) expect(mixed.apply({ type, object })).toBe(false)
          }
          expect(sync(mixed).result).toEqual(sync(pure).result)
        },
      ),
      { numRuns: 40 },
    )
    expect(ignored).toBeGreaterThan(40)
  })
})
