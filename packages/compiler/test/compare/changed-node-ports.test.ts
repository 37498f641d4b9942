import type { EndpointSlice, IpFamily, KubeProxyConfiguration, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type CompareOptions, compare } from '../../src/compare.js'
import type { CompileOptions, FamilyResult } from '../../src/compilation/compile-result.js'
import { compile } from '../../src/compile.js'
import { newestVersionOf } from '../../src/configuration/proxy-modes.js'
import { sameValue } from '../../src/diff/resource.js'
import { diff } from '../../src/diff.js'
import { print } from '../../src/print.js'
import { modeNames } from '../../src/targets/mode-of.js'
import { surroundingsOf } from '../../src/trace.js'
import { understood } from '../support/generators/nodes.js'
import { fewRuns, isWhole } from '../support/runs.js'

// What changes at node ports is met by packets for the addresses of the node, whichever these are. That these are all and no more
// is tried with Services that share addresses and ports, some of them the node's, and endpoints on the node itself.

interface World {
  readonly clusterIPs: readonly string[]
  /** The first one is loopback, of which kube-proxy makes what it makes of others. */
  readonly externalIPs: readonly string[]
  readonly loadBalancerIP: string
  readonly sourceRange: string
  /** Of pods here, of pods elsewhere, of the node, an address of a Service, and a loopback one. */
  readonly endpoints: readonly string[]
  readonly interfaces: readonly { readonly name: string; readonly addresses: readonly string[] }[]
  readonly nodePortAddresses: readonly (readonly string[])[]
  readonly clusterCIDR: string
}

const WORLDS: Readonly<Record<IpFamily, World>> = {
  IPv4: {
    clusterIPs: ['10.96.0.1', '10.96.0.2', '10.96.0.3'],
    externalIPs: ['127.0.0.5', '192.168.0.2', '192.168.1.2', '198.51.100.1'],
    loadBalancerIP: '198.51.100.9',
    sourceRange: '203.0.113.0/24',
    endpoints: ['10.244.0.1', '10.244.1.1', '192.168.0.2', '198.51.100.1', '127.0.0.5'],
    interfaces: [
      { name: 'lo', addresses: ['127.0.0.1/8'] },
      { name: 'eth0', addresses: ['192.168.0.2/24'] },
      { name: 'eth1', addresses: ['192.168.1.2/24'] },
    ],
    nodePortAddresses: [['192.168.1.0/24'], ['127.0.0.0/8', '192.168.0.0/24'], ['172.16.0.0/12']],
    clusterCIDR: '10.244.0.0/16',
  },
  IPv6: {
    clusterIPs: ['fd00:96::1', 'fd00:96::2', 'fd00:96::3'],
    externalIPs: ['::1', '2001:db8::2', 'fe80::1', '2001:db8:1::1'],
    loadBalancerIP: '2001:db8:1::9',
    sourceRange: '2001:db8:3::/64',
    endpoints: ['fd00:244::1', 'fd00:244:1::1', '2001:db8::2', '2001:db8:1::1', '::1'],
    interfaces: [
      { name: 'lo', addresses: ['::1/128'] },
      { name: 'eth0', addresses: ['2001:db8::2/64', 'fe80::1/64'] },
    ],
    nodePortAddresses: [['2001:db8::/64'], ['::1/128', 'fe80::/10'], ['2001:db8:9::/64']],
    clusterCIDR: 'fd00:244::/48',
  },
}

const NODE_PORTS = [30_080, 30_081, 80]
const VERSIONS: Readonly<Record<string, readonly string[]>> = {
  iptables: ['1.30', '1.37'],
  ipvs: ['1.30', '1.37'],
  nftables: ['1.31', '1.33', '1.35', '1.37'],
  userspace: ['1.20', '1.25'],
}

interface Given {
  readonly clusterIP: number
  readonly externalIPs: readonly number[]
  readonly type: 'ClusterIP' | 'NodePort' | 'LoadBalancer'
  readonly policy: 'Local' | 'Cluster'
  readonly protocol: 'TCP' | 'UDP' | 'SCTP'
  readonly nodePort: number
  readonly healthCheck: number
  readonly hasSourceRange: boolean
  readonly endpoints: readonly number[]
  readonly targetPort: number
}

const services: fc.Arbitrary<Given> = fc.record({
  clusterIP: fc.nat(2),
  externalIPs: fc.oneof(fc.constant([]), fc.subarray([0, 1, 2, 3], { minLength: 1, maxLength: 2 })),
  type: fc.constantFrom('ClusterIP', 'NodePort', 'NodePort', 'LoadBalancer'),
  policy: fc.constantFrom('Local', 'Cluster'),
  protocol: fc.constantFrom('TCP', 'TCP', 'UDP', 'SCTP'),
  nodePort: fc.nat(2),
  healthCheck: fc.constantFrom(31_000, 31_001, 30_080),
  hasSourceRange: fc.boolean(),
  endpoints: fc.subarray([0, 1, 2, 3, 4]),
  targetPort: fc.constantFrom(80, 8080, 30_080),
})

const HOW = [
  'goes',
  'changes',
  'has other endpoints',
  'has another policy',
  'has another node port',
  'has another type',
]

/** So that few sets of mode ipvs are empty. */
const CROWD: readonly Given[] = (['Local', 'Cluster'] as const).map((policy) => ({
  ...{ clusterIP: 0, externalIPs: [], type: 'LoadBalancer', policy, protocol: 'TCP', nodePort: 1, healthCheck: 31_002 },
  ...{ hasSourceRange: false, endpoints: [0, 1], targetPort: 8080 },
}))

interface Drawn {
  readonly family: IpFamily
  readonly version: number
  readonly nodePortAddresses: number
  readonly localhostNodePorts: boolean | undefined
  readonly gate: boolean
  /** Whether the loopback interface is told of. */
  readonly hasLo: boolean
  readonly before: readonly Given[]
  readonly after: readonly Given[]
  readonly at: number
  readonly how: string
}

/** In mode ipvs most else is asked of all addresses of Services. */
const changesOf = (mode: string): fc.Arbitrary<Drawn> =>
  fc
    .record({
      family: fc.constantFrom<IpFamily>('IPv4', 'IPv4', 'IPv6'),
      version: fc.nat(3),
      nodePortAddresses: fc.nat(5),
      localhostNodePorts: fc.constantFrom(undefined, true, false),
      gate: fc.boolean(),
      hasLo: fc.boolean(),
      before: fc.array(services, { minLength: 2, maxLength: 4 }),
      crowd: fc.constantFrom([], CROWD),
      other: services,
      place: fc.nat(3),
      how: fc.constantFrom(...HOW, ...(mode === 'ipvs' ? HOW.map(() => 'has other endpoints') : [])),
    })
    .map(({ before: some, other, place, how, crowd, ...rest }) => {
      const at = place % some.length
      const before = [...some, ...crowd]
      const after = before.flatMap((each, index) => (index === at ? changed(each, other, how) : each))
      return { ...rest, before, after, at, how }
    })

function changed(each: Given, other: Given, how: string): Given | [] {
  const { type, nodePort, healthCheck, endpoints, targetPort } = other
  switch (how) {
    case 'goes':
      return []
    case 'changes':
      return other
    case 'has other endpoints':
      return { ...each, endpoints, targetPort }
    case 'has another policy':
      return { ...each, policy: each.policy === 'Local' ? 'Cluster' : 'Local', healthCheck }
    case 'has another node port':
      return { ...each, nodePort }
    default:
      return { ...each, type }
  }
}

function inputOf(given: readonly Given[], { family, nodePortAddresses, localhostNodePorts, gate, hasLo }: Drawn) {
  const world = WORLDS[family]
  const addresses = world.nodePortAddresses[nodePortAddresses]
  const configuration: KubeProxyConfiguration = {
    clusterCIDR: world.clusterCIDR,
    ...(addresses && { nodePortAddresses: [...addresses] }),
    ...(localhostNodePorts !== undefined && { iptables: { localhostNodePorts } }),
    ...(gate && { featureGates: { KubeProxyNFTablesLocalhostNodePorts: true } }),
  }
  return {
    services: given.map((each, at) => serviceOf(each, at, family)),
    endpointSlices: given.map((each, at) => sliceOf(each, at, family)),
    configuration,
    host: { interfaces: hasLo ? world.interfaces : world.interfaces.filter(({ name }) => name !== 'lo') },
  }
}

function serviceOf(given: Given, at: number, family: IpFamily): Service {
  const { clusterIPs, externalIPs, loadBalancerIP, sourceRange } = WORLDS[family]
  const { type, policy, protocol, nodePort } = given
  const external = given.externalIPs.flatMap((each) => externalIPs[each] ?? [])
  const isExternal = type !== 'ClusterIP' || external.length > 0
  const isBalanced = type === 'LoadBalancer'
  const port = { name: 'http', protocol, port: 80 }
  return {
    metadata: { namespace: 'default', name: `web-${at}` },
    spec: {
      type,
      clusterIPs: [clusterIPs[given.clusterIP] as string],
      clusterIP: clusterIPs[given.clusterIP] as string,
      ipFamilies: [family],
      ...(external.length > 0 && { externalIPs: external }),
      ...(isExternal && { externalTrafficPolicy: policy }),
      ...(isBalanced && policy === 'Local' && { healthCheckNodePort: given.healthCheck }),
      ...(isBalanced && given.hasSourceRange && { loadBalancerSourceRanges: [sourceRange] }),
      ports: [type === 'ClusterIP' ? port : { ...port, nodePort: (NODE_PORTS[nodePort] as number) + (at >> 1) }],
    },
    ...(isBalanced && { status: { loadBalancer: { ingress: [{ ip: loadBalancerIP }] } } }),
  }
}

function sliceOf({ endpoints, targetPort }: Given, at: number, family: IpFamily): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: `web-${at}`, labels: { 'kubernetes.io/service-name': `web-${at}` } },
    addressType: family,
    ports: [{ name: 'http', port: targetPort }],
    endpoints: endpoints.map((each) => ({
      addresses: [WORLDS[family].endpoints[each] as string],
      nodeName: each % 2 === 0 ? 'node-1' : 'x',
    })),
  }
}

function compiled(drawn: Drawn, mode: ReturnType<typeof modeNames>[number]) {
  const versions = VERSIONS[mode] ?? [newestVersionOf(mode)]
  const options: CompileOptions = {
    ...{ mode, nodeName: 'node-1', families: [drawn.family] },
    kubernetesVersion: versions[drawn.version % versions.length],
  }
  const inputs = [drawn.before, drawn.after].map((given) => inputOf(given, drawn))
  const [first, second] = inputs.map((input) => ({ ...input, configuration: understood(input.configuration, options) }))
  if (first === undefined || second === undefined) throw new Error('nothing to compile')
  const before = compile(first, options)
  const after = compile(second, { ...options, previous: before })
  return { before, after }
}

function compared(drawn: Drawn, mode: ReturnType<typeof modeNames>[number]) {
  const { before, after } = compiled(drawn, mode)
  const [old, fresh] = [before.families[0], after.families[0]]
  if (old === undefined || fresh === undefined) throw new Error('nothing was compiled')
  const surroundings: CompareOptions = surroundingsOf(fresh.plan)
  const onlyChanged = diff(before, after).families[0]?.patch ?? { from: '', to: '', changes: [] }
  const whole = compare(old.state, fresh.state, surroundings)
  const part = compare(old.state, fresh.state, { ...surroundings, onlyChanged })
  return { old, fresh, isSame: onlyChanged.changes.length === 0, whole, part }
}

type Found = ReturnType<typeof compare>

/** How a comparison ends, without the ways, which are as long as the rules. */
function found({ equal, differences, undecided }: Found) {
  const texts = (some: Found['differences']) =>
    some.map(({ a, b, ...rest }) => {
      const [onA, onB] = [a, b].map(({ ways, ...side }) => side)
      return { ...rest, a: onA, b: onB }
    })
  return { equal, differences: texts(differences), undecided: texts(undecided) }
}

/**
 * What packets for all addresses of Services meet in mode ipvs, which are the node's: addresses and ports that are asked for, and
 * rules, which are there for sets with entries.
 */
function sharedOfIpvs({ state: { addresses, ipset, ...state } }: FamilyResult): readonly string[] {
  const bound = addresses?.contributions?.flatMap(({ boundAddresses }) => boundAddresses) ?? []
  const entries = ipset?.contributions?.flatMap((each) => each.entries) ?? []
  const ports = entries.flatMap(({ set, entry }) => (entry.kind === 'port' ? `${set.name} ${entry.port}` : []))
  return [...bound, ...ports].sort().concat(print(state, { language: 'iptables' }))
}

describe('onlyChanged, of Services with node ports', () => {
  it.each(modeNames())('finds in mode %s what a comparison of everything finds', (mode) => {
    const seen = new Map<string, number>()
    const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
    fc.assert(
      fc.property(changesOf(mode), (drawn) => {
        const { old, fresh, isSame, whole, part } = compared(drawn, mode)
        expect(found(part)).toEqual(found(whole))
        expect(part.classes).toBeLessThanOrEqual(whole.classes)
        if (mode !== 'userspace') {
          const isSameForAll = isSame || mode !== 'ipvs' || sameValue(sharedOfIpvs(old), sharedOfIpvs(fresh))
          expect(part.bounded).toBe(isSameForAll)
        }
        const changing = [drawn.before[drawn.at], drawn.how === 'goes' ? undefined : drawn.after[drawn.at]]
        if (isSame || !changing.some((each) => each !== undefined && each.type !== 'ClusterIP')) return
        count(part.bounded ? 'bounded' : 'whole')
        if (!part.bounded || part.equal) return
        count(drawn.how)
        for (const what of kindsOf(changing, drawn)) count(what)
      }),
      { numRuns: fewRuns(mode === 'userspace' ? 30 : 300) },
    )
    if (mode === 'userspace' || !isWhole) return
    const wanted = mode === 'ipvs' ? ['whole', 'has other endpoints', ...KINDS] : [...HOW, ...KINDS]
    const rare = wanted.filter((what) => (seen.get(what) ?? 0) < 3)
    expect(rare).toEqual([])
    expect(seen.get('bounded')).toBeGreaterThan(mode === 'ipvs' ? 15 : 100)
    if (mode !== 'ipvs') expect(seen.get('whole')).toBeUndefined()
  })
})

/** What is counted of changes that are looked at by themselves, and find something. */
const KINDS = [
  ...['IPv4', 'IPv6', 'nodePortAddresses', 'Local', 'Cluster', 'external IPs', 'load balancer'],
  ...['health check node port', 'endpoint on the node', 'the port of Services'],
]

function kindsOf(changing: readonly (Given | undefined)[], { family, nodePortAddresses }: Drawn): readonly string[] {
  const all = changing.filter((each) => each !== undefined)
  const some = (holds: (each: Given) => boolean, what: string) => (all.some(holds) ? [what] : [])
  return [
    family,
    ...(WORLDS[family].nodePortAddresses[nodePortAddresses] === undefined ? [] : ['nodePortAddresses']),
    ...some(({ policy }) => policy === 'Local', 'Local'),
    ...some(({ policy }) => policy === 'Cluster', 'Cluster'),
    ...some(({ externalIPs }) => externalIPs.length > 0, 'external IPs'),
    ...some(({ type }) => type === 'LoadBalancer', 'load balancer'),
    ...some(({ type, policy }) => type === 'LoadBalancer' && policy === 'Local', 'health check node port'),
    ...some(({ endpoints }) => endpoints.includes(2) || endpoints.includes(4), 'endpoint on the node'),
    ...some(({ nodePort }) => nodePort === 2, 'the port of Services'),
  ]
}
