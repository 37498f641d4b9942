import { type Diagnostic, DiagnosticsError, IP_FAMILIES, type Service } from '@kube-rules/types'
import { safeParseService } from '@kube-rules/types/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompileResult, compile, safeCompile } from '../../src/compile.js'
import { render } from '../../src/render.js'
import { type Case, type Cluster, cases } from '../support/clusters.js'
import { ANY_TYPES, everyReplacement, hostileTexts, hostileValues, spoiled } from '../support/hostile.js'
import { foreignLines } from '../support/line-grammar.js'

/** Cases of which any part of the objects is hostile: names, addresses, lists, numbers. */
const spoiledObjects: fc.Arbitrary<Case> = cases.chain(({ cluster, options }) => {
  const { configuration, host, ...objects } = cluster
  return spoiled(fc.constant(objects), 6).map((hostile) => ({
    // The lists themselves are not data: a caller who has none would be told by the type checker.
    cluster: { ...asLists(hostile), configuration, host },
    options,
  }))
})

const spoiledMachines: fc.Arbitrary<Case> = cases.chain(({ cluster, options }) => {
  const { configuration, host, nodes } = cluster
  return spoiled(fc.constant({ configuration, host, nodes }), 2).map((hostile) => ({
    cluster: {
      ...cluster,
      configuration: hostile?.configuration ?? {},
      host: hostile?.host,
      nodes: Array.isArray(hostile?.nodes) ? hostile.nodes : [],
    },
    options,
  }))
})

function asLists(objects: unknown): Pick<Cluster, 'services' | 'endpointSlices' | 'endpoints' | 'nodes'> {
  const lists = new Map(Object.entries(Object(objects)))
  const list = <T>(name: string): readonly T[] => {
    const value = lists.get(name)
    return Array.isArray(value) ? value : []
  }
  return {
    services: list('services'),
    endpointSlices: list('endpointSlices'),
    endpoints: list('endpoints'),
    nodes: list('nodes'),
  }
}

function foreignLinesOf(result: CompileResult): readonly string[] {
  return IP_FAMILIES.flatMap((family) => [
    ...foreignLines(render(result, { family }), result.mode, 'restore'),
    ...foreignLines(render(result, { family, style: 'save' }), result.mode, 'save'),
  ])
}

/** What becomes of a hostile input: a result, or `DiagnosticsError`. Any other error ends the test. */
function attempt({ cluster, options }: Case): CompileResult | undefined {
  const compiled = safeCompile(cluster, options)
  return compiled.success ? compiled.result : undefined
}

function errorsOf(diagnostics: readonly Diagnostic[], kind: string): readonly Diagnostic[] {
  return diagnostics.filter(({ severity, object }) => severity === 'error' && object.kind === kind)
}

const RUNS = { numRuns: 300 }

describe('hostile objects', () => {
  it('give nothing but lines that kube-proxy writes', () => {
    fc.assert(
      fc.property(fc.oneof(spoiledObjects, cases), (given) => {
        const result = attempt(given)
        expect(result).toBeDefined()
        if (result !== undefined) expect(foreignLinesOf(result)).toEqual([])
      }),
      RUNS,
    )
  })

  it('may be anything at all', () => {
    const lists = fc.array(hostileValues, { maxLength: 3 })
    const objects = fc.record({ services: lists, endpointSlices: lists, endpoints: lists, nodes: lists })
    fc.assert(
      fc.property(objects, fc.constantFrom<'iptables' | 'ipvs'>('iptables', 'ipvs'), (given, mode) => {
        const result = compile(given as unknown as Cluster, { mode })
        expect(foreignLinesOf(result)).toEqual([])
        expect(result.counts.servicePorts).toBe(0)
        expect(errorsOf(result.diagnostics, 'Service').length).toBeGreaterThanOrEqual(
          given.services.filter((service) => typeof service !== 'object' || service === null).length,
        )
      }),
      RUNS,
    )
  })
})

const VALID_SERVICE: Service = {
  metadata: { namespace: 'a', name: 'web', labels: { app: 'x' }, annotations: { note: 'x' } },
  spec: {
    type: 'LoadBalancer',
    clusterIP: '10.96.0.1',
    clusterIPs: ['10.96.0.1'],
    ipFamilies: ['IPv4'],
    externalIPs: ['192.0.2.1'],
    loadBalancerSourceRanges: ['203.0.113.0/24'],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 300 } },
    externalTrafficPolicy: 'Local',
    internalTrafficPolicy: 'Cluster',
    healthCheckNodePort: 32000,
    ports: [{ name: 'http', protocol: 'TCP', port: 80, nodePort: 30080 }],
  },
  status: { loadBalancer: { ingress: [{ ip: '198.51.100.1', ipMode: 'VIP', hostname: 'lb.test' }] } },
}

const EVERYTHING = {
  configuration: {
    mode: 'iptables',
    clusterCIDR: '10.244.0.0/16',
    detectLocalMode: 'BridgeInterface',
    detectLocal: { bridgeInterface: 'cbr0', interfaceNamePrefix: 'veth' },
    nodePortAddresses: ['192.168.0.0/24'],
    bindAddress: '0.0.0.0',
    hostnameOverride: 'node-1',
    iptables: { masqueradeBit: 14, masqueradeAll: true, localhostNodePorts: true, syncPeriod: '30s' },
    ipvs: { scheduler: 'rr', excludeCIDRs: ['10.1.0.0/16'], strictARP: true, tcpTimeout: '1m' },
    conntrack: { tcpBeLiberal: true, maxPerCore: 1 },
    featureGates: { TopologyAwareHints: true },
    logging: { format: 'text', flushFrequency: '5s', vmodule: [{ filePattern: 'a', verbosity: 1 }] },
  },
  host: {
    interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
    iptablesRandomFully: true,
    conntrackTcpBeLiberal: true,
    nfacctCounters: true,
  },
  nodes: [
    {
      metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'z1' } },
      spec: { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24'] },
      status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'a', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
      endpoints: [
        {
          addresses: ['10.244.1.1'],
          conditions: { ready: true, serving: true, terminating: false },
          nodeName: 'node-1',
          zone: 'z1',
          hints: { forZones: [{ name: 'z1' }], forNodes: [{ name: 'node-1' }] },
        },
      ],
    },
  ],
  endpoints: [
    {
      metadata: { namespace: 'a', name: 'other' },
      subsets: [
        {
          addresses: [{ ip: '10.244.1.1', nodeName: 'node-1' }],
          notReadyAddresses: [{ ip: '10.244.1.2' }],
          ports: [{ name: 'http', protocol: 'TCP', port: 8080 }],
        },
      ],
    },
  ],
} satisfies Partial<Cluster>

describe('a value of any type in any place', () => {
  const modes = ['iptables', 'ipvs'] as const

  it.each(['nodes', 'endpointSlices', 'endpoints', 'services'] as const)('of %s is no obstacle', (kind) => {
    const services = [VALID_SERVICE, { ...VALID_SERVICE, metadata: { namespace: 'a', name: 'other' } }]
    const input = { ...EVERYTHING, services }
    for (const [index, objects] of everyReplacement<readonly object[]>(input[kind], ANY_TYPES).entries()) {
      if (!Array.isArray(objects)) continue
      const result = compile({ ...input, [kind]: objects }, { mode: modes[index % 2] })
      expect(foreignLinesOf(result)).toEqual([])
    }
  })

  it.each(['configuration', 'host'] as const)('of the %s is no obstacle, or an error', (part) => {
    const input = { ...EVERYTHING, services: [VALID_SERVICE] }
    for (const [index, value] of everyReplacement<object>(EVERYTHING[part], ANY_TYPES).entries()) {
      const compiled = safeCompile({ ...input, [part]: value }, { mode: modes[index % 2] })
      if (compiled.success) expect(foreignLinesOf(compiled.result)).toEqual([])
      else expect(errorsOf(compiled.error.diagnostics, 'KubeProxyConfiguration')).not.toEqual([])
    }
  })
})

describe('a hostile configuration, host or node', () => {
  it('gives nothing but lines that kube-proxy writes, or is refused', () => {
    fc.assert(
      fc.property(spoiledMachines, (given) => {
        const result = attempt(given)
        if (result !== undefined) expect(foreignLinesOf(result)).toEqual([])
      }),
      RUNS,
    )
  })

  it('is refused only with an error', () => {
    fc.assert(
      fc.property(spoiledMachines, ({ cluster, options }) => {
        const compiled = safeCompile(cluster, options)
        if (compiled.success) return
        expect(compiled.error).toBeInstanceOf(DiagnosticsError)
        expect(compiled.error.diagnostics.some(({ severity }) => severity === 'error')).toBe(true)
      }),
      RUNS,
    )
  })

  it.each(['mode', 'nodeName', 'kubernetesVersion', 'families'])('so is the option %s', (option) => {
    fc.assert(
      fc.property(cases, hostileTexts, ({ cluster, options }, text) => {
        const result = attempt({ cluster, options: { ...options, [option]: option === 'families' ? [text] : text } })
        if (result !== undefined) expect(foreignLinesOf(result)).toEqual([])
      }),
    )
  })
})

const GOOD: Pick<Cluster, 'services' | 'endpointSlices'> = {
  services: [
    {
      metadata: { namespace: 'good', name: 'web' },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '10.97.0.1',
        clusterIPs: ['10.97.0.1', 'fd00:97::1'],
        ipFamilies: ['IPv4', 'IPv6'],
        externalIPs: ['192.0.2.99'],
        loadBalancerSourceRanges: ['203.0.113.0/24'],
        externalTrafficPolicy: 'Local',
        healthCheckNodePort: 32099,
        ports: [{ name: 'http', port: 8099, nodePort: 30099 }],
      },
      status: { loadBalancer: { ingress: [{ ip: '198.51.100.99' }] } },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'good', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: 8080 }],
      endpoints: [
        { addresses: ['10.244.99.1'], nodeName: 'node-1' },
        { addresses: ['10.244.99.2'], nodeName: 'node-2' },
      ],
    },
  ],
}

/** What only texts about the good Service have. */
const OF_GOOD = /good\/web|10\.97\.0\.1|fd00:97::1|\b192\.0\.2\.99|198\.51\.100\.99|10\.244\.99\.|\b30099\b|\b32099\b/

describe('a good Service beside bad ones', () => {
  it('has the same lines as alone', () => {
    fc.assert(
      fc.property(spoiledObjects, ({ cluster, options }) => {
        const alone = compile({ ...cluster, ...GOOD, endpoints: [] }, options)
        const services = [...cluster.services, ...GOOD.services]
        const endpointSlices = [...cluster.endpointSlices, ...GOOD.endpointSlices]
        const beside = compile({ ...cluster, services, endpointSlices }, options)
        for (const family of IP_FAMILIES) {
          const own = render(alone, { family }).split('\n')
          const all = render(beside, { family }).split('\n')
          const known = new Set(own)
          expect(all.filter((line) => known.has(line))).toEqual(own)
          expect(all.filter((line) => !known.has(line) && OF_GOOD.test(line))).toEqual([])
        }
      }),
      RUNS,
    )
  })
})

/** Whether kube-proxy has no rules for a Service although nothing is wrong with it. */
function hasNoRules({ metadata, spec }: Service): boolean {
  const labels: object = Object(metadata?.labels)
  const excluded = ['service.kubernetes.io/service-proxy-name', 'service.kubernetes.io/headless']
  const headless = spec?.clusterIP === 'None' || spec?.type === 'ExternalName'
  return headless || excluded.some((label) => Object.hasOwn(labels, label)) || (spec?.ports ?? []).length === 0
}

const spoiledServices = spoiled(fc.constant(VALID_SERVICE), 2)

describe('a Service that is left out', () => {
  it('is named by an error, unless there is no rule for it or a warning says that it has no cluster IP', () => {
    fc.assert(
      fc.property(spoiledServices, (service) => {
        const { diagnostics, counts } = compile({ services: [service] }, { mode: 'iptables' })
        const errors = errorsOf(diagnostics, 'Service')
        const name = service?.metadata?.name
        expect(errors.every(({ object }) => object.name === (typeof name === 'string' ? name : ''))).toBe(true)
        if (errors.length > 0) expect(counts.servicePorts).toBe(0)
        else if (counts.servicePorts === 0) {
          const reported = diagnostics.some(
            ({ code, message }) => code === 'missingField' && /cluster IP/.test(message),
          )
          expect(reported || hasNoRules(service)).toBe(true)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('is one that the schema refuses, or one without namespace, or with a family or an address that is none', () => {
    fc.assert(
      fc.property(spoiledServices, (service) => {
        const { diagnostics } = compile({ services: [service] }, { mode: 'iptables' })
        const ofShape = errorsOf(diagnostics, 'Service').filter(
          ({ code, path }) =>
            code !== 'invalidAddress' && path !== 'metadata.namespace' && !path?.startsWith('spec.ipFamilies'),
        )
        if (ofShape.length > 0) expect(safeParseService(service).success).toBe(false)
      }),
      { numRuns: 1000 },
    )
  })

  it('compiles to the same bytes whether a schema saw it before or not', () => {
    fc.assert(
      fc.property(spoiledServices, (service) => {
        const parsed = safeParseService(service)
        if (!parsed.success) return
        const services = [parsed.data]
        expect(render(compile({ services }, { mode: 'iptables' }), { family: 'IPv4' })).toBe(
          render(compile({ services: [service] }, { mode: 'iptables' }), { family: 'IPv4' }),
        )
      }),
    )
  })
})

describe('an endpoint whose address is none', () => {
  it.each([
    '010.0.0.1x',
    '10.1',
    '0x0a000001',
    '1.2.3.4,5.6.7.8',
    'localhost',
    '1.2.3.4\n',
    '1.2.3.4 -j ACCEPT',
    'fe80::1%eth0',
    '[fd00::1]',
    '',
    7,
    null,
    { toString: null, valueOf: null },
    ['10.0.0.1'],
  ])('%j is left out and named, and the others stay', (address) => {
    const [slice] = GOOD.endpointSlices
    const endpoints = [{ addresses: [address as string] }, ...(slice?.endpoints ?? [])]
    const spoiledSlice = { ...slice, addressType: 'IPv4', endpoints }
    const options = { mode: 'iptables', nodeName: 'node-1' } as const
    const result = compile({ services: GOOD.services, endpointSlices: [spoiledSlice] }, options)
    expect(errorsOf(result.diagnostics, 'EndpointSlice')).toMatchObject([
      { object: { namespace: 'good', name: 'web-1' }, path: expect.stringContaining('endpoints[0].addresses') },
    ])
    expect(render(result, { family: 'IPv4' })).toBe(render(compile(GOOD, options), { family: 'IPv4' }))
  })

  it('leading zeros are read as decimal, as kube-proxy does, and never written', () => {
    const [slice] = GOOD.endpointSlices
    const zeros = { ...slice, addressType: 'IPv4', endpoints: [{ addresses: ['010.020.0.030'] }] }
    const result = compile({ services: GOOD.services, endpointSlices: [zeros] }, { mode: 'iptables' })
    const text = render(result, { family: 'IPv4' })
    expect(text).toContain('--to-destination 10.20.0.30:8080')
    expect(text).not.toContain('010.')
  })
})
