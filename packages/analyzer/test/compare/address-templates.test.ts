import type { EndpointSlice, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../compiler/src/print/print.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns, isWhole } from '../../../compiler/test/support/runs.js'
import { createAddressTemplateLookup } from '../../src/compare/address-templates.js'
import { compare } from '../../src/compare/compare.js'
import { computeOutcomeDistribution } from '../../src/compare/compare-paths.js'
import type { Comparison } from '../../src/compare/comparison.js'
import type { ComparisonSide } from '../../src/compare/comparison-side.js'
import { normalizeTemplate } from '../../src/compare/normalized-template.js'
import { splitStateByOwner } from '../../src/compare/state-partition.js'
import { toOutcomeRecord } from '../../src/plan/outcome-distribution.js'
import { createAddressRangeParser } from '../../src/program/address-range.js'
import { type TraceContext, traceContextFor } from '../../src/trace/trace-context.js'
import { annotateOwners } from '../../src/verify/annotate-owners.js'

/** Whether destinations are compared separately. */
const separately = vi.hoisted(() => ({ isOn: false }))

vi.mock('../../src/compare/state-partition.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/compare/state-partition.js')>()
  const splitStateByOwner: typeof original.splitStateByOwner = (state) =>
    separately.isOn ? undefined : original.splitStateByOwner(state)
  return { ...original, splitStateByOwner }
})

function compareApart(...[a, b, options]: Parameters<typeof compare>): Comparison {
  separately.isOn = true
  try {
    return compare(a, b, options)
  } finally {
    separately.isOn = false
  }
}

// The classes of the first destination of a template represent the classes of the other destinations. The result must
// equal the result of a separate comparison of each destination.

const OWN = '192.168.0.2'
/** Endpoints of two networks, of a source range, of a Service, and the node itself. */
const ENDPOINTS = ['10.244.0.1', '10.244.1.1', '10.245.0.1', '10.245.1.1', '203.0.113.9', '10.96.0.2', OWN]

interface Given {
  readonly kind: 'plain' | 'external' | 'nodePort' | 'loadBalancer'
  readonly clusterIP: number
  readonly isLocal: boolean
  readonly isSticky: boolean
  readonly ranges: readonly string[]
  readonly endpoints: readonly string[]
}

const services: fc.Arbitrary<Given> = fc.record({
  kind: fc.constantFrom<Given['kind']>('plain', 'plain', 'plain', 'external', 'nodePort', 'loadBalancer'),
  clusterIP: fc.integer({ min: 1, max: 6 }),
  isLocal: fc.constantFrom(false, false, true),
  isSticky: fc.constantFrom(false, false, true),
  ranges: fc.constantFrom<readonly string[]>([], ['203.0.113.0/24'], ['10.245.0.1/32']),
  endpoints: fc.subarray(ENDPOINTS, { maxLength: 3 }),
})

/** Generates Services of one kind, so that many are equivalent. */
const equivalents: fc.Arbitrary<readonly Given[]> = fc
  .record({ one: services, count: fc.integer({ min: 2, max: 4 }) })
  .chain(({ one, count }) =>
    fc.tuple(
      ...Array.from({ length: count }, (_, at) =>
        endpointsLike(one, at).map((endpoints): Given => ({ ...one, clusterIP: at + 1, endpoints })),
      ),
    ),
  )

/** Generates separate endpoints, or some that other Services may share. */
function endpointsLike({ endpoints: { length } }: Given, at: number): fc.Arbitrary<readonly string[]> {
  return fc.oneof(
    fc.constant([`10.244.0.${at + 10}`, `10.244.1.${at + 10}`]),
    fc.subarray(ENDPOINTS, { minLength: length, maxLength: length }),
  )
}

const clusters: fc.Arbitrary<readonly Given[]> = fc.oneof(
  equivalents,
  fc.array(services, { minLength: 2, maxLength: 4 }),
)

function inputOf(given: readonly Given[]) {
  return {
    services: given.map(serviceOf),
    endpointSlices: given.map(sliceOf),
    configuration: { clusterCIDR: '10.244.0.0/16', iptables: { localhostNodePorts: false } },
    host: {
      interfaces: [{ name: 'eth0', addresses: [`${OWN}/24`] }],
      proxyPorts: Object.fromEntries(given.map((_, at) => [`default/web-${at}:http`, 40_001 + at])),
    },
  }
}

function serviceOf({ kind, clusterIP, isLocal, isSticky, ranges }: Given, at: number): Service {
  const type = { plain: 'ClusterIP', external: 'ClusterIP', nodePort: 'NodePort', loadBalancer: 'LoadBalancer' }[kind]
  return {
    metadata: { namespace: 'default', name: `web-${at}` },
    spec: {
      type,
      clusterIP: `10.96.0.${clusterIP}`,
      sessionAffinity: isSticky ? 'ClientIP' : 'None',
      ...(kind === 'external' && { externalIPs: [`198.51.100.${at + 1}`] }),
      ...(kind === 'loadBalancer' && { loadBalancerSourceRanges: [...ranges], allocateLoadBalancerNodePorts: false }),
      ...(kind === 'plain'
        ? { internalTrafficPolicy: isLocal ? 'Local' : 'Cluster' }
        : { externalTrafficPolicy: isLocal ? 'Local' : 'Cluster' }),
      ports: [{ name: 'http', port: 80, ...(kind === 'nodePort' && { nodePort: 30_080 + at }) }],
    },
    ...(kind === 'loadBalancer' && { status: { loadBalancer: { ingress: [{ ip: `198.51.101.${at + 1}` }] } } }),
  } as Service
}

function sliceOf({ endpoints }: Given, at: number): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: `web-${at}`, labels: { 'kubernetes.io/service-name': `web-${at}` } },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080 }],
    endpoints: endpoints.map((address) => ({
      addresses: [address],
      nodeName: /\.0\.\d+$/.test(address) ? 'node-1' : 'x',
    })),
  }
}

/** Generates the same cluster, another one, or one with different endpoints for one Service. */
const pairs: fc.Arbitrary<readonly [readonly Given[], readonly Given[]]> = fc.oneof(
  clusters.map((given) => [given, given] as const),
  fc.tuple(clusters, clusters),
  fc
    .record({
      given: fc.oneof(equivalents, clusters),
      at: fc.nat(3),
      endpoints: fc.subarray(ENDPOINTS, { maxLength: 2 }),
    })
    .map(({ given, at, endpoints }) => {
      const changed = given.map((each, index) => (index === at % given.length ? { ...each, endpoints } : each))
      return [given, changed] as const
    }),
)

interface Compiled {
  readonly state: NodeState
  readonly traceContext: TraceContext
}

function compiled(given: readonly Given[], mode: ProxyMode): Compiled {
  const [family] = compile(inputOf(given), { mode, nodeName: 'node-1', families: ['IPv4'] }).families
  if (family === undefined) throw new Error('nothing was compiled')
  return { state: family.state, traceContext: traceContextFor(family.plan) }
}

/** Omits the example packet, because any packet of the class is valid. */
function found({ equal, classes, differences, inconclusive }: Comparison) {
  const texts = (some: Comparison['differences']) =>
    some.map(({ condition, classes: own, services: names, a, b }) =>
      JSON.stringify([condition, own, names, a.outcomes, a.affinitySeconds, b.outcomes, b.affinitySeconds]),
    )
  return { equal, classes, differences: texts(differences), inconclusive: texts(inconclusive) }
}

/** Rules of other programs, for addresses of Services, of endpoints and of neither. */
const foreignRules = fc.subarray(
  [
    'filter -I FORWARD -s 10.245.0.1/32 -j DROP',
    'filter -I INPUT -d 10.96.0.2/32 -j DROP',
    'filter -A FORWARD -d 10.244.0.1/32 -p tcp -m tcp --dport 8080 -j REJECT',
    'filter -I FORWARD -d 10.244.0.0/24 -j ACCEPT',
    'filter -I FORWARD -m set --match-set allowed src -j ACCEPT',
    'filter -I FORWARD ! -d 10.96.0.1/32 -p udp -j DROP',
    'filter -I FORWARD -d 10.244.1.1/32 -j OTHER',
    'filter -A OTHER -s 203.0.113.0/24 -j DROP',
    'nat -I PREROUTING -d 10.96.0.3/32 -j ACCEPT',
    'nat -I PREROUTING -d 10.96.0.1/32 -p tcp -m tcp --dport 81 -j DNAT --to-destination 10.96.0.2:80',
    'nat -I KUBE-SERVICES -s 10.244.1.11/32 -j RETURN',
  ],
  { maxLength: 5 },
)

/** Returns the dump of a state with further rules. */
function dumped(state: NodeState, foreign: readonly string[]): NodeState {
  const text = print(state, { format: 'save' })
  const withRules = ['filter', 'nat'].reduce((all, table) => {
    const own = foreign.filter((line) => line.startsWith(`${table} `)).map((line) => line.slice(table.length + 1))
    const inserted = own.filter((line) => line.startsWith('-I ')).map((line) => line.replace('-I ', '-A '))
    const appended = own.filter((line) => line.startsWith('-A '))
    return all.replace(new RegExp(`(\\*${table}\n(?::.*\n)*)((?:-A .*\n)*)`), (_, head, rules) =>
      [
        head,
        ':OTHER - [0:0]\n',
        ...inserted.map((line) => `${line}\n`),
        rules,
        ...appended.map((line) => `${line}\n`),
      ].join(''),
    )
  }, text)
  return annotateOwners(readDump(withRules).IPv4, state)
}

/** Returns the packets of each difference, in any order. */
function foundPackets({ equal, classes, differences, inconclusive }: Comparison) {
  const texts = (some: Comparison['differences']) =>
    some
      .flatMap(({ packetGroups, a, b }) =>
        packetGroups.flatMap(({ destinations, arrivals, sources }) =>
          destinations.flatMap((destination) =>
            arrivals.flatMap((arrival) =>
              sources.map((source) => JSON.stringify([destination, arrival, source, shapeOf(a, b)])),
            ),
          ),
        ),
      )
      .sort()
  return { equal, classes, differences: texts(differences), inconclusive: texts(inconclusive) }
}

/** Classes of several senders form one difference, with the outcomes of the first. */
function shapeOf(...sides: readonly Comparison['differences'][number]['a'][]): unknown {
  return sides.map(({ outcomes, affinitySeconds }) => [Object.keys(outcomes).length, affinitySeconds])
}

const MODES = ['iptables', 'ipvs', 'nftables'] as const
const PAIRS = MODES.flatMap((a, index) => MODES.slice(index).map((b) => ({ a, b })))

describe('the comparison by address template', () => {
  it.each(PAIRS)('finds the same classes as a comparison per destination in modes $a and $b', ({ a, b }) => {
    fc.assert(
      fc.property(pairs, ([given, other]) => {
        const [onA, onB] = [compiled(given, a), compiled(other, b)]
        const together = compare(onA.state, onB.state, onA.traceContext)
        expect(found(together)).toEqual(found(compareApart(onA.state, onB.state, onA.traceContext)))
        for (const { packet, a: some, b: others } of [...together.differences, ...together.inconclusive])
          for (const { paths, outcomes } of [some, others])
            expect(toOutcomeRecord(computeOutcomeDistribution(paths)), JSON.stringify(packet)).toEqual(outcomes)
      }),
      { numRuns: fewRuns(24) },
    )
  })

  it('finds the same classes as a comparison per destination in dumps with foreign rules', () => {
    const drawn = { different: 0, together: 0 }
    fc.assert(
      fc.property(pairs, foreignRules, foreignRules, ([given, other], ofA, ofB) => {
        const { state, traceContext } = compiled(given, 'iptables')
        const [a, b] = [dumped(state, ofA), dumped(compiled(other, 'iptables').state, ofB)]
        const together = compare(a, b, traceContext)
        expect(foundPackets(together)).toEqual(foundPackets(compareApart(a, b, traceContext)))
        if (together.differences.length > 0) drawn.different++
        if ((splitStateByOwner(a)?.parts.length ?? 0) > 1) drawn.together++
      }),
      { numRuns: fewRuns(60) },
    )
    if (isWhole) expect([drawn.different > 10, drawn.together > 10]).toEqual([true, true])
  })

  it('finds the same classes as a comparison per destination for IPv6 Services with shared endpoints', () => {
    const given = (count: number, endpoints: (at: number) => readonly string[]) => ({
      services: Array.from({ length: count }, (_, at) => ({
        metadata: { namespace: 'default', name: `web-${at}` },
        spec: { clusterIP: `fd00:96::${at + 1}`, ports: [{ name: 'http', port: 80 }] },
      })),
      endpointSlices: Array.from({ length: count }, (_, at) => ({
        metadata: { namespace: 'default', name: `web-${at}`, labels: { 'kubernetes.io/service-name': `web-${at}` } },
        addressType: 'IPv6',
        ports: [{ name: 'http', port: 8080 }],
        endpoints: endpoints(at).map((address) => ({ addresses: [address], nodeName: 'node-1' })),
      })),
      configuration: { clusterCIDR: 'fd00:244::/64' },
      host: { interfaces: [{ name: 'eth0', addresses: ['2001:db8::2/64'] }] },
    })
    const stateOf = (input: ReturnType<typeof given>, mode: ProxyMode) =>
      compile(input, { mode, nodeName: 'node-1', families: ['IPv6'] }).families[0]?.state as NodeState
    const own = { addresses: ['2001:db8::2'] }
    const alone = (at: number) => [`fd00:244::${at + 1}`, `fd00:244::a:${at + 1}`]
    for (const [count, endpoints] of [
      [3, alone],
      [18, () => ['fd00:244::1']],
    ] as const) {
      const [a, b] = MODES.slice(1).map((mode) => stateOf(given(count, endpoints), mode)) as [NodeState, NodeState]
      const together = compare(a, b, own)
      expect(together.differences.length).toBeGreaterThan(0)
      expect(found(together)).toEqual(found(compareApart(a, b, own)))
    }
    // Other endpoints on one side, so that outcomes contain addresses.
    const moved = (at: number) => [`fd00:244::b:${at + 1}`]
    const [a, b] = [alone, moved].map((endpoints) => stateOf(given(3, endpoints), 'nftables')) as [NodeState, NodeState]
    const together = compare(a, b, own)
    const outcomes = together.differences.map((each) => Object.keys(each.b.outcomes).join())
    for (const at of [1, 2, 3]) expect(outcomes).toContainEqual(expect.stringContaining(`[fd00:244::b:${at}]:8080`))
    expect(found(together)).toEqual(found(compareApart(a, b, own)))
  })

  it('needs at most two templates for the destinations of 40 equivalent Services', () => {
    const many = Array.from(
      { length: 40 },
      (_, at): Given => ({
        ...{ kind: 'plain', clusterIP: at + 1, isLocal: false, isSticky: false, ranges: [] },
        endpoints: [`10.244.0.${at + 10}`, `10.244.1.${at + 10}`],
      }),
    )
    const traced = MODES.map((mode) => {
      let count = 0
      const { state, traceContext } = compiled(many, mode)
      const { parts } = sideOfState(state)
      const shapeAt = createAddressTemplateLookup({
        ...SIDES,
        a: sideOfState(state),
        b: sideOfState(state),
        addresses: [OWN],
      })
      const keys = new Set<string>()
      for (const place of new Set(parts?.parts.flatMap(({ destinations }) => destinations))) {
        count++
        const shape = shapeAt(place)
        if (shape !== undefined) keys.add(shape.key)
      }
      expect(traceContext.addresses).toContain(OWN)
      return { mode, destinations: count, shapes: keys.size }
    })
    expect(traced).toEqual([
      { mode: 'iptables', destinations: 40, shapes: 1 },
      { mode: 'ipvs', destinations: 80, shapes: 2 },
      { mode: 'nftables', destinations: 80, shapes: 2 },
    ])
  })
})

const SIDES = { family: 'IPv4', rangeOf: createAddressRangeParser('IPv4') } as const

function sideOfState(state: NodeState): ComparisonSide {
  return {
    trace: () => [],
    traceSharedPaths: () => [],
    isLocal: () => 'no',
    destinations: [],
    parts: splitStateByOwner(state),
  }
}

/** Joins the tokens, one in each line, with texts after their markers. */
function wordsOf(text: string): string {
  return text.trimEnd().replaceAll('"\n', '"').replaceAll('\n', ' ')
}

describe('normalizeTemplate', () => {
  it('replaces addresses and owned names with numbers, but keeps networks', () => {
    const value = {
      chain: 'KUBE-A',
      comment: 'of 10.0.0.9',
      matches: [{ kind: 'comment', text: 'x' }, { kind: 'source', address: '10.0.0.1/32' }, '10.0.0.0/8'],
      to: '10.0.0.2:80',
      keys: ['10.0.0.1 . tcp . 80', '10.0.0.3-10.0.0.4', 'KUBE-B', undefined],
    }
    const { text, addresses, networks } = normalizeTemplate(value, 'IPv4', { names: ['KUBE-A'] })
    expect(wordsOf(text)).toBe(
      '{ chain "#0 matches [ { kind "source address "$0/32 } "10.0.0.0/8 ] to "$1:80 keys [ "$0 . tcp . 80 "10.0.0.3-10.0.0.4 "KUBE-B undefined ] }',
    )
    expect(addresses).toEqual(['10.0.0.1', '10.0.0.2'])
    expect(networks).toEqual(['10.0.0.0/8', '10.0.0.3-10.0.0.4'])
  })

  it('recognizes IPv6 addresses', () => {
    const { text, addresses, networks } = normalizeTemplate(
      ['[fd00::1]:80', 'fd00::/64', 'fd00::1 . 80', 'a:b'],
      'IPv6',
    )
    expect(wordsOf(text)).toBe('[ "[$0]:80 "fd00::/64 "$0 . 80 "a:b ]')
    expect({ addresses, networks }).toEqual({ addresses: ['fd00::1'], networks: ['fd00::/64'] })
  })

  it('maps different values to different texts', () => {
    const values = [['a\n"\nb'], ['a', 'b'], ['"a\\n\\"\\nb"'], ["'a"]]
    expect(new Set(values.map((value) => normalizeTemplate(value, 'IPv4').text)).size).toBe(values.length)
  })
})
