import type { EndpointSlice, KubeProxyConfiguration, Service, ServiceSpec } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileInput, CompileOptions, CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import { PROXY_MODES, type ProxyMode } from '../../../compiler/src/targets/modes.js'
import { cases, optionsOfMode, understoodCluster } from '../../../compiler/test/support/clusters.js'
import { compileCase } from '../../../compiler/test/support/compiled.js'
import { drawnVersions } from '../../../compiler/test/support/drawn-versions.js'
import { LIMITATIONS_OF_MODE } from '../../../compiler/test/support/limitations.js'
import { at, service, slice } from '../../../compiler/test/support/objects.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { compare } from '../../src/compare/compare.js'
import type { Comparison } from '../../src/compare/comparison.js'
import { PLAN_DIFFERENCES } from '../../src/plan/plan-differences.js'
import { traceContextFor } from '../../src/trace/trace-context.js'

// All modes treat every packet the same, except for their declared limitations. Tests generated clusters, and a cluster
// that has all limitations.

/** Limitations that do not affect the packet paths of a table. */
const WITHOUT_PACKETS: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: [],
  ipvs: ['healthCheckSkipped'],
  nftables: ['commentTooLong', 'conflictingVerdicts', 'overlappingSourceRanges', 'healthCheckNotAccepted'],
  userspace: ['healthCheckNotServed'],
}

/**
 * Limitations that the compared cases do not show: those of older versions, which `decide-packet.test.ts` covers, and
 * `sharedEntries`, `guardedAddress` and `ownPacketsRejected`, because a comparison reports `contested` for most of their
 * packets; `prove/prove.test.ts` covers them.
 */
const NOT_COMPARED: Readonly<Record<ProxyMode, readonly string[]>> = {
  iptables: [
    'firstLoadBalancerIP',
    'externalIPsIgnorePolicy',
    'ownPacketsKeptLocal',
    'bridgedExternalIPs',
    'endsAtUnservedNodePort',
    'forwardedPacketsNotRejected',
    'externalClusterIP',
  ],
  ipvs: ['sctpMasquerading', 'sharedEntries', 'guardedAddress'],
  nftables: ['ownPacketsRejected', 'otherLoadBalancerIPs'],
  userspace: [],
}

const pairs = PROXY_MODES.flatMap((a, index) =>
  PROXY_MODES.slice(index + 1).map((b): readonly [ProxyMode, ProxyMode] => [a, b]),
)

/**
 * Generates a version that both modes have, because versions differ more than modes do: some have rules of one family
 * only, or ignore EndpointSlices. Without a common version, each mode has its newest version.
 */
function versionsOfBoth([a, b]: readonly [ProxyMode, ProxyMode]): fc.Arbitrary<string | undefined> {
  const common = drawnVersions(a).filter((version) => drawnVersions(b).includes(version))
  return fc.constantFrom(...common, undefined)
}

/** Compares the common families one by one. */
function comparisons(a: CompileResult, b: CompileResult): readonly Comparison[] {
  return a.families.flatMap((one) => {
    const other = b.families.find(({ family }) => family === one.family)
    if (other === undefined) return []
    const knownLimitationsOf = {
      a: { mode: a.mode as ProxyMode, plan: one.plan },
      b: { mode: b.mode as ProxyMode, plan: other.plan },
    }
    return compare(one.state, other.state, { ...traceContextFor(one.plan), knownLimitationsOf })
  })
}

function unexpected({ differences, inconclusive }: Comparison): readonly unknown[] {
  return [...differences, ...inconclusive].map(({ condition, packet, a, b }) => [
    condition,
    packet,
    a.outcomes,
    b.outcomes,
  ])
}

/** Returns the differences between the plans of iptables and ipvs modes, after a check that nothing is unexplained. */
function explainedDifferences(input: CompileInput, kubernetesVersion: string): readonly string[] {
  const [a, b] = (['iptables', 'ipvs'] as const).map((mode) =>
    compile(input, { mode, kubernetesVersion, nodeName: 'node-1', families: ['IPv4'] }),
  )
  const [comparison] = comparisons(a as CompileResult, b as CompileResult)
  expect(comparison && unexpected(comparison)).toEqual([])
  return comparison?.expected?.limitations.flatMap(({ side, code }) => (side === 'both' ? code : [])) ?? []
}

describe('known limitations of proxy modes', () => {
  it.each(pairs)('are the only differences between %s and %s modes', (...modes) => {
    const isOld = modes.includes('userspace')
    fc.assert(
      fc.property(cases, versionsOfBoth(modes), ({ cluster, options }, kubernetesVersion) => {
        const both = modes.map((mode) => optionsOfMode({ ...options, kubernetesVersion }, mode))
        const { ipvs, nodePortAddresses, featureGates, ...rest } = cluster.configuration
        const configuration = {
          ...rest,
          ipvs: { ...ipvs, scheduler: 'rr' },
          ...(isOld
            ? { nodePortAddresses: nodePortAddresses?.filter((address) => address.includes('.')) }
            : { nodePortAddresses, featureGates }),
        }
        const understood = both.reduce(understoodCluster, { ...cluster, configuration })
        const [a, b] = both.map((own) => compileCase({ cluster: understood, options: own }))
        for (const comparison of comparisons(a as CompileResult, b as CompileResult)) {
          expect(unexpected(comparison)).toEqual([])
        }
      }),
      { numRuns: fewRuns(6) },
    )
  })

  it('explain every difference for hairpin packets of several endpoints', () => {
    const [a, b] = (['iptables', 'ipvs'] as const).map((mode) =>
      compile(FOUR_ENDPOINTS, { mode, nodeName: 'node-1', families: ['IPv6'] }),
    )
    const [comparison] = comparisons(a as CompileResult, b as CompileResult)
    expect(comparison && unexpected(comparison)).toEqual([])
  })

  it('each affect at least one packet', () => {
    const seen = new Set<string>()
    for (const { modes, found } of COMPARED) {
      const [a, b] = modes
      for (const comparison of found) {
        expect({ a, b, unexpected: unexpected(comparison) }).toEqual({ a, b, unexpected: [] })
        for (const { side, code } of comparison.expected?.limitations ?? []) {
          seen.add(`${{ a, b, both: 'both' }[side]} ${code}`)
        }
      }
    }
    const known = [
      ...PROXY_MODES.flatMap((mode) => comparedCodes(mode).map((code) => `${mode} ${code}`)),
      ...PLAN_DIFFERENCES.map(({ code }) => `both ${code}`),
    ]
    // The next tests cover those of older versions.
    const older = [
      'both endsAtUnservedNodePort',
      'both ownPacketsKeptLocal',
      'both podsKnownAtExternalIPs',
      'both internalPolicyBesideExternal',
      'both repeatedEndpoints',
    ]
    expect([...seen].sort()).toEqual(known.filter((code) => !older.includes(code)).sort())
  })

  it.each([
    ['1.15', ['ownPacketsKeptLocal']],
    ['1.16', []],
  ])('explain own packets to a node port with policy Local in %s by %j', (kubernetesVersion, codes) => {
    expect(
      explainedDifferences(LOCAL_NODE_PORT, kubernetesVersion).filter((code) => code === 'ownPacketsKeptLocal'),
    ).toEqual(codes)
  })

  it.each([
    ['1.20', []],
    ['1.21', ['podsKnownAtExternalIPs']],
    ['1.23', ['podsKnownAtExternalIPs']],
    ['1.24', []],
  ])('explain packets from pods to an external IP in %s by %j', (kubernetesVersion, codes) => {
    expect(
      explainedDifferences(EXTERNAL_IP, kubernetesVersion).filter((code) => code === 'podsKnownAtExternalIPs'),
    ).toEqual(codes)
  })

  it.each([
    ['1.22', ['internalPolicyBesideExternal']],
    ['1.23', ['internalPolicyBesideExternal']],
    ['1.24', []],
  ])('explain two policies Local in %s by %j', (kubernetesVersion, codes) => {
    expect(
      explainedDifferences(TWO_POLICIES_LOCAL, kubernetesVersion).filter(
        (code) => code === 'internalPolicyBesideExternal',
      ),
    ).toEqual(codes)
  })

  it.each([
    ['1.18', ['repeatedEndpoints']],
    ['1.19', []],
  ])('explain an endpoint that Endpoints contain twice in %s by %j', (kubernetesVersion, codes) => {
    const found = explainedDifferences(REPEATED_ENDPOINT, kubernetesVersion)
    expect(found.filter((code) => code === 'repeatedEndpoints')).toEqual(codes)
  })

  it('explain different affinity at an address that two Services claim', () => {
    const [a, b] = (['iptables', 'ipvs'] as const).map((mode) =>
      compile(CLAIMED_TWICE, { mode, kubernetesVersion: '1.32', nodeName: 'node-1', families: ['IPv4'] }),
    )
    const [comparison] = comparisons(a as CompileResult, b as CompileResult)
    expect(comparison && unexpected(comparison)).toEqual([])
  })

  it.each([
    ['1.18', false],
    ['1.19', true],
    ['1.20', true],
  ])('explain packets of a Service with a node port that no address serves in %s: %s', (kubernetesVersion, are) => {
    const input = {
      services: [
        {
          metadata: { namespace: 'default', name: 'web' },
          spec: { type: 'NodePort', clusterIP: '10.96.0.6', ports: [{ name: 'https', port: 443, nodePort: 30443 }] },
        },
      ],
      endpoints: [
        {
          metadata: { namespace: 'default', name: 'web' },
          subsets: [{ addresses: [{ ip: '10.244.2.1' }], ports: [{ name: 'https', port: 8443 }] }],
        },
      ],
      configuration: { nodePortAddresses: ['192.0.2.0/24'] },
    } satisfies CompileInput
    const [a, b] = (['iptables', 'userspace'] as const).map((mode) =>
      compile(input, { mode, kubernetesVersion, nodeName: 'node-1', families: ['IPv4'] }),
    )
    const [comparison] = comparisons(a as CompileResult, b as CompileResult)
    expect(comparison?.differences).toEqual([])
    const both = comparison?.expected?.limitations.filter(({ side }) => side === 'both').map((each) => each.code)
    expect(both?.includes('endsAtUnservedNodePort')).toBe(are)
  })
})

function comparedCodes(mode: ProxyMode): readonly string[] {
  const hidden = [...WITHOUT_PACKETS[mode], ...NOT_COMPARED[mode]]
  return LIMITATIONS_OF_MODE[mode].map(({ code }) => code).filter((code) => !hidden.includes(code))
}

const NODE = {
  metadata: { name: 'node-1', labels: { 'topology.kubernetes.io/zone': 'zone-a' } },
  status: { addresses: [{ type: 'InternalIP', address: '192.168.0.2' }] },
}

/** iptables mode up to 1.18 sends two of three packets to the first endpoint. */
const REPEATED_ENDPOINT: CompileInput = {
  services: [
    {
      metadata: { namespace: 'default', name: 'dns' },
      spec: { type: 'ClusterIP', clusterIP: '10.96.0.4', ports: [{ name: 'dns', protocol: 'UDP', port: 53 }] },
    },
  ],
  endpoints: [
    {
      metadata: { namespace: 'default', name: 'dns' },
      subsets: [
        {
          addresses: [{ ip: '10.244.1.2' }, { ip: '10.244.2.2' }, { ip: '10.244.1.2' }],
          ports: [{ name: 'dns', protocol: 'UDP', port: 53 }],
        },
      ],
    },
  ],
}

/** One endpoint is on the node, the other is not. */
const EXTERNAL_IP: CompileInput = {
  services: [
    {
      metadata: { namespace: 'default', name: 'dns' },
      spec: {
        type: 'ClusterIP',
        clusterIP: '10.96.0.4',
        externalIPs: ['192.0.2.2'],
        ports: [{ name: 'dns', protocol: 'UDP', port: 53 }],
      },
    },
  ],
  endpoints: [
    {
      metadata: { namespace: 'default', name: 'dns' },
      subsets: [
        {
          addresses: [{ ip: '10.244.1.2' }, { ip: '10.244.2.2' }],
          ports: [{ name: 'dns', protocol: 'UDP', port: 53 }],
        },
      ],
    },
  ],
  configuration: { clusterCIDR: '10.244.0.0/16' },
}

const LOCAL_NODE_PORT_SPEC = {
  type: 'NodePort',
  clusterIP: '10.96.0.6',
  externalTrafficPolicy: 'Local',
  ports: [{ name: 'https', port: 443, nodePort: 30443 }],
}

const LOCAL_NODE_PORT: CompileInput = {
  services: [{ metadata: { namespace: 'default', name: 'web' }, spec: LOCAL_NODE_PORT_SPEC }],
  endpoints: [
    {
      metadata: { namespace: 'default', name: 'web' },
      subsets: [
        {
          addresses: [
            { ip: '10.244.1.1', nodeName: 'node-1' },
            { ip: '10.244.2.1', nodeName: 'node-2' },
          ],
          ports: [{ name: 'https', port: 8443 }],
        },
      ],
    },
  ],
  nodes: [NODE],
}

/** Both Services have the load-balancer IP. The first one has policy Local, no local endpoint, and affinity. */
const TWO_POLICIES_LOCAL: CompileInput = {
  services: [
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: { ...LOCAL_NODE_PORT_SPEC, internalTrafficPolicy: 'Local' },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: 8443 }],
      endpoints: [
        { addresses: ['10.244.1.1'], nodeName: 'node-1' },
        { addresses: ['10.244.2.1'], nodeName: 'node-2' },
      ],
    },
  ],
}

const CLAIMED_TWICE: CompileInput = {
  services: ['first', 'second'].map((name, index) => ({
    metadata: { namespace: 'default', name },
    spec: {
      type: 'LoadBalancer',
      clusterIP: `10.96.0.${index + 6}`,
      externalTrafficPolicy: index === 0 ? 'Local' : 'Cluster',
      sessionAffinity: index === 0 ? 'ClientIP' : 'None',
      ports: [{ port: 53 }],
    },
    status: { loadBalancer: { ingress: [{ ip: '203.0.113.9' }] } },
  })),
  endpointSlices: ['first', 'second'].map((name, index) => ({
    metadata: { namespace: 'default', name, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [`10.244.2.${index + 1}`], nodeName: 'node-2' }],
    ports: [{ name: '', port: 53 }],
  })),
  nodes: [NODE],
}

/** Three of the endpoints are on the node, and rules look them up in the hairpin set. */
const FOUR_ENDPOINTS: CompileInput = {
  services: [
    {
      metadata: { namespace: 'default', name: 'web' },
      spec: { clusterIP: 'fd00:96::6', ports: [{ name: 'https', port: 443 }, { port: 80 }] },
    },
  ],
  endpointSlices: [
    {
      metadata: { namespace: 'default', name: 'web-1', labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv6',
      ports: [
        { name: 'https', port: 8443 },
        { name: '', port: 80 },
      ],
      endpoints: [
        { addresses: ['fd00:244:1::1'], nodeName: 'node-1' },
        { addresses: ['fd00:244:1::2'], nodeName: 'node-2' },
        { addresses: ['fd00:244:1::10'], nodeName: 'node-1' },
        { addresses: ['fd00:244:10::1'], nodeName: 'node-1' },
      ],
    },
  ],
  nodes: [{ metadata: { name: 'node-1' } }],
  configuration: { detectLocalMode: 'BridgeInterface', detectLocal: { bridgeInterface: 'cbr0' } },
  host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24', '2001:db8::2/64'] }] },
}

interface Variant {
  readonly configuration: KubeProxyConfiguration
  readonly options?: CompileOptions
}

const PLAIN: Variant = { configuration: { clusterCIDR: '10.244.0.0/16' } }
const MASQUERADED: Variant = {
  configuration: { iptables: { masqueradeAll: true }, ipvs: { scheduler: 'sh' } },
  options: { kubernetesVersion: '1.33' },
}
const UNDETECTED: Variant = { configuration: {} }
const SOME_ADDRESSES: Variant = {
  configuration: { nodePortAddresses: ['10.9.0.0/16'] },
  options: { kubernetesVersion: '1.36' },
}

const ofVersion = (kubernetesVersion: string): Variant => ({
  configuration: { clusterCIDR: '10.244.0.0/16', featureGates: { NFTablesProxyMode: true } },
  options: { kubernetesVersion },
})

/** Cases that show every limitation: some belong to one mode in one configuration, the rest to several. */
const VARIANTS: readonly (readonly [ProxyMode, ProxyMode, Variant])[] = [
  ['iptables', 'ipvs', PLAIN],
  ['iptables', 'ipvs', MASQUERADED],
  ['iptables', 'ipvs', UNDETECTED],
  ['nftables', 'userspace', PLAIN],
  ['nftables', 'userspace', MASQUERADED],
  ['iptables', 'nftables', SOME_ADDRESSES],
  ['iptables', 'nftables', ofVersion('1.29')],
  ['iptables', 'ipvs', ofVersion('1.29')],
  ['iptables', 'ipvs', ofVersion('1.27')],
  ['iptables', 'ipvs', ofVersion('1.24')],
]

const GUARD = { loadBalancerSourceRanges: ['203.0.113.0/24'] }
const LOCAL = { externalTrafficPolicy: 'Local' } as const
const [HERE, THERE] = ['10.244.1.5', '10.244.2.7']

/** One Service for each limitation: the name, the spec, its endpoints and load-balancer IPs. */
const SERVICES: readonly (readonly [string, ServiceSpec, readonly string[], (readonly object[])?])[] = [
  ['plain', { clusterIP: '10.96.0.10' }, [HERE, THERE]],
  ['local', { ...LOCAL, clusterIP: '10.96.0.11', externalIPs: ['198.51.100.11'], type: 'NodePort' }, [HERE, THERE]],
  ['far', { ...LOCAL, clusterIP: '10.96.0.12', externalIPs: ['198.51.100.12'], type: 'NodePort' }, [THERE]],
  ['empty', { clusterIP: '10.96.0.13', externalIPs: ['198.51.100.13'], type: 'NodePort' }, []],
  ['guarded', { ...GUARD, clusterIP: '10.96.0.14', type: 'LoadBalancer' }, [], [{ ip: '198.51.100.14' }]],
  ['limited', { ...GUARD, clusterIP: '10.96.0.15', type: 'LoadBalancer' }, [THERE], [{ ip: '198.51.100.15' }]],
  [
    'twice',
    { ...GUARD, clusterIP: '10.96.0.16', type: 'LoadBalancer', externalIPs: ['198.51.100.16'] },
    [THERE],
    [{ ip: '198.51.100.16' }],
  ],
  [
    'zero',
    { clusterIP: '10.96.0.17', type: 'LoadBalancer', loadBalancerSourceRanges: ['0.0.0.0/0'] },
    [THERE],
    [{ ip: '198.51.100.17' }],
  ],
  [
    'itself',
    { clusterIP: '10.96.0.18', type: 'LoadBalancer', loadBalancerSourceRanges: ['198.51.100.18/32'] },
    [THERE],
    [{ ip: '198.51.100.18' }],
  ],
  [
    'two',
    { clusterIP: '10.96.0.19', type: 'LoadBalancer', loadBalancerSourceRanges: ['192.168.0.0/24'] },
    [THERE],
    [{ ip: '198.51.100.19' }, { ip: '198.51.100.20' }],
  ],
  ['bound', { clusterIP: '10.96.0.21' }, ['198.51.100.13']],
  ['taken', { clusterIP: '10.96.0.22', externalIPs: ['198.51.100.11'] }, [THERE]],
  ['dual', { clusterIP: '10.96.0.23', type: 'LoadBalancer' }, [THERE], [{ ip: 'fd00::23' }, { ip: '198.51.100.23' }]],
  ['held', { clusterIP: '10.96.0.26', externalIPs: ['192.168.0.2'] }, [THERE]],
  [
    'stopped',
    { clusterIP: '10.96.0.27', type: 'LoadBalancer', externalIPs: ['192.168.0.2'] },
    [THERE],
    [{ ip: '198.51.100.27' }],
  ],
  ['both', { clusterIP: '10.96.0.25', externalIPs: ['10.96.0.25'] }, [THERE]],
  [
    'kept',
    { clusterIP: '10.96.0.29', externalIPs: ['10.96.0.29'], type: 'LoadBalancer', externalTrafficPolicy: 'Local' },
    [HERE, THERE],
  ],
  ['six', { clusterIP: 'fd00:96::6' }, []],
  ['zonal', { clusterIP: '10.96.0.28' }, [HERE, THERE]],
  ['proxied', { clusterIP: '10.96.0.24', type: 'LoadBalancer' }, [THERE], [{ ip: '198.51.100.24', ipMode: 'Proxy' }]],
]

function everything(mode: ProxyMode, { configuration, options }: Variant): CompileResult {
  const version = options?.kubernetesVersion
  const input: CompileInput = {
    services: [...SERVICES.map(serviceOf), SCTP],
    endpointSlices: [...SERVICES.map(sliceOf), sliceOf(['sctp', {}, [THERE]])],
    serviceCIDRs: [{ metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.96.0.0/16'] } }],
    nodes: [NODE],
    configuration,
    host: {
      interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }],
      ...(mode === 'userspace' && {
        proxyPorts: Object.fromEntries(SERVICES.map(([name], at) => [`shop/${name}:http`, 41_000 + at])),
      }),
    },
  }
  const known = mode !== 'userspace' && version !== undefined
  return compile(input, {
    mode,
    nodeName: 'node-1',
    families: ['IPv4', 'IPv6'],
    ...(known && { kubernetesVersion: version }),
  })
}

function serviceOf([name, spec, , ingress]: (typeof SERVICES)[number], at: number): Service {
  const isAtNode = spec.type === 'NodePort'
  return {
    metadata: { namespace: 'shop', name },
    spec: {
      ...spec,
      ports: [{ name: 'http', port: 80, ...(isAtNode && { nodePort: 30_080 + at }) }],
      ...(spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local' && { healthCheckNodePort: 32_000 }),
    },
    ...(ingress && { status: { loadBalancer: { ingress } } }),
  }
}

const SCTP: Service = {
  metadata: { namespace: 'shop', name: 'sctp' },
  spec: { clusterIP: '10.96.0.30', ports: [{ name: 'http', port: 80, protocol: 'SCTP' }] },
}

/**
 * Builds a slice. Only the endpoint `HERE` is on the node. The endpoint of `bound` has the address and port of a
 * Service. The endpoints of `zonal` have topology hints.
 */
function sliceOf([name, , endpoints]: readonly [string, ServiceSpec, readonly string[], ...unknown[]]): EndpointSlice {
  const protocol = name === 'sctp' ? 'SCTP' : 'TCP'
  return {
    metadata: { namespace: 'shop', name: `${name}-1`, labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: name === 'bound' ? 80 : 8080, protocol }],
    endpoints: endpoints.map((address) => ({
      addresses: [address],
      nodeName: address === HERE ? 'node-1' : 'node-2',
      ...(name === 'zonal' && { hints: { forZones: [{ name: address === HERE ? 'zone-a' : 'zone-b' }] } }),
    })),
  }
}

/** Each comparison takes a good part of a second, and two tests need it. */
const COMPARED = VARIANTS.map(([a, b, variant]) => {
  const [one, other] = [everything(a, variant), everything(b, variant)]
  return { modes: [a, b], one, other, found: comparisons(one, other) }
})

/** With `pnpm test`, one comparison of each two modes. */
const SWAPPED = COMPARED.filter(
  ({ modes }, index) => isWhole || COMPARED.findIndex((each) => each.modes.join() === modes.join()) === index,
)

describe('known limitations of both compared modes', () => {
  it.each(SWAPPED)('explain the same differences when $modes.0 and $modes.1 are swapped', ({ one, other, found }) => {
    const explained = found.map((comparison) => explainedBy(comparison, ['a', 'b']))
    expect(explained.flat().length).toBeGreaterThan(0)
    expect(comparisons(other, one).map((comparison) => explainedBy(comparison, ['b', 'a']))).toEqual(explained)
  })
})

describe('differences that no known limitation explains', () => {
  const resultWith = (address: string) =>
    compile({ services: [service()], endpointSlices: [slice(at(address))] }, { mode: 'iptables', families: ['IPv4'] })
  const [one, other] = [resultWith('10.244.1.1'), resultWith('10.244.1.2')]

  it('are reported if the plans differ', () => {
    const [comparison] = comparisons(one, other)
    expect(comparison).toMatchObject({ equal: false, inconclusive: [], expected: { classes: 0, limitations: [] } })
    const [a, b] = ['10.244.1.1:8080', '10.244.1.2:8080'].map((endpoint) => expect.stringContaining(endpoint))
    const outcomes = comparison?.differences.map((each) => [each.a, each.b].map((side) => Object.keys(side.outcomes)))
    expect(outcomes).toContainEqual([[a], [b]])
  })

  it('are reported if the rules of one side differ from the plan of that side', () => {
    const [family, wrong] = [one.families[0], other.families[0]]
    if (family === undefined || wrong === undefined) throw new Error('one family is compiled')
    const planned = { mode: 'iptables', plan: family.plan } as const
    const comparison = compare(family.state, wrong.state, { knownLimitationsOf: { a: planned, b: planned } })
    expect(comparison).toMatchObject({ equal: false, expected: { classes: 0, limitations: [] } })
    expect(comparison.differences.length).toBeGreaterThan(0)
  })
})

/** Returns each explanation with the name of its side and its number of classes, and unexplained differences. */
function explainedBy({ expected, differences, inconclusive }: Comparison, [a, b]: readonly [string, string]) {
  const names = { a, b, both: 'both' }
  const limitations = expected?.limitations ?? []
  return [
    ...limitations.map(({ side, code, classes }) => `${names[side]} ${code} ${classes}`).sort(),
    ...[...differences, ...inconclusive].map(({ condition }) => condition).sort(),
  ]
}
