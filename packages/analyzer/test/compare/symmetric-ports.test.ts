import type { EndpointSlice, Service } from '@kube-rules/types'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { compile } from '../../../compiler/src/compilation/compile.js'
import type { CompileResult } from '../../../compiler/src/compilation/compile-result.js'
import type { NodeState } from '../../../compiler/src/dataplane/node-state.js'
import { print } from '../../../compiler/src/print/print.js'
import type { ProxyMode } from '../../../compiler/src/targets/modes.js'
import { readDump } from '../../../compiler/test/support/read-dump.js'
import { fewRuns } from '../../../compiler/test/support/runs.js'
import { enumeratePacketClasses } from '../../src/compare/classes-by-port.js'
import { compare } from '../../src/compare/compare.js'
import type { ComparisonSide } from '../../src/compare/comparison-side.js'
import { collectDestinations, type Destination } from '../../src/compare/destinations.js'
import { destinationsOfState } from '../../src/compare/state-partition.js'
import { createAddressRangeParser } from '../../src/program/address-range.js'
import { createReadSet } from '../../src/program/read-set.js'
import { prove } from '../../src/prove/prove.js'
import { getTracer } from '../../src/trace/trace.js'

/** Whether every port is traced, also ports that rules do not distinguish. */
const exhaustive = vi.hoisted(() => ({ isOn: false }))

vi.mock('../../src/compare/matched-ports.js', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../src/compare/matched-ports.js')>()
  const findSymmetryKey: typeof original.findSymmetryKey = (...given) =>
    exhaustive.isOn ? undefined : original.findSymmetryKey(...given)
  return { ...original, findSymmetryKey }
})

/** Expects the same JSON, with the paths of all examples, as if every port is traced. */
function expectExhaustive(examine: () => unknown): void {
  const reduced = JSON.stringify(examine())
  exhaustive.isOn = true
  try {
    expect(JSON.parse(reduced)).toEqual(JSON.parse(JSON.stringify(examine())))
  } finally {
    exhaustive.isOn = false
  }
}

const OWN = ['192.168.0.2']
const [FIRST_PORT, LAST_PORT] = [30_000, 30_007]

const services = fc.record({
  type: fc.constantFrom('ClusterIP', 'NodePort', 'NodePort', 'LoadBalancer'),
  externalTrafficPolicy: fc.constantFrom('Cluster', 'Cluster', 'Local'),
  sessionAffinity: fc.constantFrom('None', 'None', 'ClientIP'),
  ports: fc.subarray([80, 443, 30_001] as const, { minLength: 1 }),
  protocol: fc.constantFrom<'TCP' | 'UDP'>('TCP', 'TCP', 'UDP'),
  endpoints: fc.subarray(['10.244.0.1', '10.244.0.2', '10.244.1.1', '192.168.0.2']),
})
const clusters = fc.array(services, { minLength: 2, maxLength: 4 })
type Given = typeof clusters extends fc.Arbitrary<infer T> ? T : never

const NODE_PORT: Given[number] = {
  ...{ type: 'NodePort', externalTrafficPolicy: 'Cluster', sessionAffinity: 'None' },
  ...{ ports: [80], protocol: 'TCP', endpoints: ['10.244.0.1'] },
}

function inputOf(given: Given) {
  return {
    services: given.map(serviceOf),
    endpointSlices: given.map(sliceOf),
    configuration: { clusterCIDR: '10.244.0.0/16', iptables: { localhostNodePorts: false } },
    host: { interfaces: [{ name: 'eth0', addresses: ['192.168.0.2/24'] }] },
  }
}

function serviceOf({ type, externalTrafficPolicy, sessionAffinity, ports, protocol }: Given[number], at: number) {
  const isExternal = type !== 'ClusterIP'
  return {
    metadata: { namespace: 'default', name: `web-${at}` },
    spec: {
      type,
      clusterIP: `10.96.0.${at + 1}`,
      sessionAffinity,
      ports: ports.map((port, index) => ({
        ...{ name: `p${index}`, port, protocol },
        ...(isExternal && { nodePort: FIRST_PORT + 2 * at + index }),
      })),
      ...(isExternal && { externalTrafficPolicy }),
    },
  } as Service
}

function sliceOf({ ports, protocol, endpoints }: Given[number], at: number): EndpointSlice {
  return {
    metadata: { namespace: 'default', name: `web-${at}`, labels: { 'kubernetes.io/service-name': `web-${at}` } },
    addressType: 'IPv4',
    ports: ports.map((_, index) => ({ name: `p${index}`, port: 8080, protocol })),
    endpoints: endpoints.map((address, index) => ({
      addresses: [address],
      nodeName: index % 2 === 0 ? 'node-1' : 'node-2',
    })),
  }
}

function resultOf(given: Given, mode: ProxyMode, kubernetesVersion?: string): CompileResult {
  return compile(inputOf(given), { mode, nodeName: 'node-1', families: ['IPv4'], kubernetesVersion })
}

function stateOf(...given: Parameters<typeof resultOf>): NodeState {
  const [family] = resultOf(...given).families
  if (family === undefined) throw new Error('nothing was compiled')
  return family.state
}

const ports = fc.integer({ min: FIRST_PORT, max: LAST_PORT })
/** Rules of other programs that compare, translate or look up ports. */
const foreignRules = fc.oneof(
  ports.map((port) => `filter -A INPUT -p tcp -m tcp --dport ${port} -j DROP`),
  ports.map((port) => `filter -A INPUT -s 203.0.113.0/24 -p udp -m udp --dport ${port} -j DROP`),
  fc.tuple(ports, ports).map(([a, b]) => `filter -A INPUT -p tcp --dport ${Math.min(a, b)}:${Math.max(a, b)} -j DROP`),
  fc.constantFrom(
    'nat -A PREROUTING -m set --match-set KUBE-NODE-PORT-TCP dst -j DNAT --to-destination 10.244.9.9',
    `nat -A PREROUTING -m set --match-set KUBE-NODE-PORT-TCP dst -j DNAT --to-destination 10.244.9.9:${FIRST_PORT}`,
    'nat -A PREROUTING -m set --match-set KUBE-NODE-PORT-TCP dst -j REDIRECT',
    'filter -A FORWARD -m set --match-set KUBE-NODE-PORT-TCP dst -j DROP',
    'filter -A INPUT -m set ! --match-set OTHER dst -j DROP',
    'filter -A INPUT -m set --match-set OTHER dst -m ttl --ttl-eq 1 -j DROP',
    'filter -A FORWARD -d 10.244.9.9/32 -p tcp -m tcp --dport 30001 -j DROP',
  ),
)

/** Returns the dump of a state with further rules, and with a port set of another program. */
function dumped(state: NodeState, foreign: readonly string[], others: readonly number[]): NodeState {
  const set = ['create OTHER bitmap:port range 0-65535', ...others.map((port) => `add OTHER ${port}`)]
  const text = ['filter', 'nat'].reduce(
    (all, table) => {
      const own = foreign.filter((line) => line.startsWith(`${table} `)).map((line) => line.slice(table.length + 1))
      return all.replace(
        new RegExp(`(\\*${table}\n(?::.*\n)*)`),
        (_, head) => head + own.map((each) => `${each}\n`).join(''),
      )
    },
    print(state, { format: 'save' }),
  )
  return readDump(`${set.join('\n')}\n${text}`).IPv4
}

const MODES = ['iptables', 'ipvs', 'nftables'] as const

describe('the comparison by symmetric ports', () => {
  it.each(MODES)('has the same result as a comparison of every port for ipvs mode and %s mode', (mode) => {
    fc.assert(
      fc.property(clusters, fc.option(clusters, { nil: undefined }), (given, other = given) =>
        expectExhaustive(() => compare(stateOf(given, 'ipvs'), stateOf(other, mode), { addresses: OWN })),
      ),
      { numRuns: fewRuns(16) },
    )
  })

  it('has the same result as a comparison of every port if dumps contain rules of other programs', () => {
    const others = fc.array(foreignRules, { maxLength: 3 })
    const members = fc.uniqueArray(ports, { maxLength: 4 })
    fc.assert(
      fc.property(clusters, others, others, members, members, (given, ofA, ofB, inA, inB) => {
        const state = stateOf(given, 'ipvs')
        const [a, b] = [dumped(state, ofA, inA), dumped(state, ofB, inB)]
        expectExhaustive(() => compare(a, b, { addresses: OWN }))
      }),
      { numRuns: fewRuns(60) },
    )
  })

  it('has the same result as a comparison of every port with known limitations', () => {
    fc.assert(
      fc.property(clusters, fc.constantFrom(...MODES), (given, mode) => {
        const sides = [resultOf(given, 'ipvs'), resultOf(given, mode)] as const
        const [a, b] = sides.map(({ families: [family], mode }) => ({
          mode,
          ...(family as NonNullable<typeof family>),
        }))
        if (a === undefined || b === undefined) return
        expectExhaustive(() => compare(a.state, b.state, { addresses: OWN, knownLimitationsOf: { a, b } }))
      }),
      { numRuns: fewRuns(16) },
    )
  })

  it('traces ports that only a plan distinguishes', () => {
    const result = resultOf([NODE_PORT], 'iptables')
    const { plan } = result.families[0] as CompileResult['families'][number]
    const planned = { mode: 'iptables', plan } as const
    const node = readDump(
      `create S bitmap:port range 0-65535\nadd S ${FIRST_PORT}\nadd S ${LAST_PORT}\n*filter\n:INPUT ACCEPT [0:0]\n` +
        '-A INPUT -m set --match-set S dst -j DROP\nCOMMIT\n',
    ).IPv4
    expectExhaustive(() => compare(node, node, { addresses: OWN, knownLimitationsOf: { a: planned, b: planned } }))
  })

  it('has the same proof as a comparison of every port', () => {
    fc.assert(
      fc.property(clusters, (given) => expectExhaustive(() => prove(resultOf(given, 'ipvs')))),
      { numRuns: fewRuns(16) },
    )
  })

  it('examines node ports in a proof even if only the plan distinguishes these ports', () => {
    const input = inputOf([NODE_PORT, { ...NODE_PORT, type: 'LoadBalancer' }])
    const [plain, restricted] = input.services as [Service, Service]
    const spec = { ...restricted.spec, loadBalancerSourceRanges: ['10.96.0.1/32'] }
    const services = [plain, { ...restricted, spec }]
    expectExhaustive(() =>
      prove(compile({ ...input, services }, { mode: 'ipvs', nodeName: 'node-1', families: ['IPv4'] })),
    )
  })

  it('finds a difference if one side keeps the port in a translation and the other side changes the port', () => {
    const node = (destination: string) =>
      readDump(
        'create S bitmap:port range 0-65535\nadd S 30000\nadd S 30001\n*nat\n:PREROUTING ACCEPT [0:0]\n' +
          `-A PREROUTING -p tcp -m set --match-set S dst -j DNAT --to-destination ${destination}\nCOMMIT\n`,
      ).IPv4
    const { differences } = compare(node('10.244.9.9'), node('10.244.9.9:30000'), { addresses: OWN })
    expect(new Set(differences.map(({ packet }) => packet.destinationPort))).toEqual(new Set([30_001]))
  })

  it('finds the paths of every packet class, including classes of ports that it does not trace', () => {
    const ports: Given[number]['ports'] = [80, 443]
    const given: Given = [
      { ...NODE_PORT, ports },
      { ...NODE_PORT, ports, externalTrafficPolicy: 'Local' },
    ]
    const sideOf = (state: NodeState): ComparisonSide => {
      const { trace, traceSharedPaths, facts } = getTracer(state, { addresses: OWN })
      return { trace, traceSharedPaths, isLocal: facts.isLocal, destinations: destinationsOfState(state) }
    }
    const [a, b] = [sideOf(stateOf(given, 'ipvs')), sideOf({ family: 'IPv4' })]
    const sides = { family: 'IPv4', a, b, addresses: OWN, rangeOf: createAddressRangeParser('IPv4') } as const
    const destination = collectDestinations(sides).find(({ address }) => address === '10.96.0.1')
    const bound = { has: () => false, sorted: () => [], sortedBySides: () => [] }
    const traced = new Set<number>()
    enumeratePacketClasses(sides, destination as Destination, { bound, budget: { classes: 1_000 } }, (packetClass) => {
      if (packetClass === undefined) return
      const { packet } = packetClass
      traced.add(packet.destinationPort)
      expect(packetClass.a().paths()).toEqual(a.trace(packet, createReadSet()))
      expect(packetClass.b().paths()).toEqual(b.trace(packet, createReadSet()))
    })
    expect([...traced]).toEqual(expect.arrayContaining([80, 443, 30_000, 30_001, 30_002, 30_003]))
  })

  it('traces a number of classes that is linear in the number of node ports', () => {
    const many = (count: number) => stateOf(Array<Given[number]>(count).fill(NODE_PORT), 'ipvs')
    const [few, more] = [many(10), many(40)]
    const classes = compare(more, more, { addresses: OWN }).classes
    expect(classes).toBeGreaterThan(8 * compare(few, few, { addresses: OWN }).classes)
    expect(compare(more, more, { addresses: OWN, maxClasses: Math.floor(classes / 3) }).notCompared).toBeUndefined()
  })

  it('compares no further destinations after too many differing classes that were not traced', () => {
    const many = Array<Given[number]>(80).fill(NODE_PORT)
    const [a, b] = [stateOf(many, 'ipvs'), stateOf(many, 'iptables')]
    const all = compare(a, b, { addresses: OWN })
    expect(all.notCompared).toBeUndefined()
    const some = compare(a, b, { addresses: OWN, maxClasses: Math.floor(all.classes / 6) })
    expect(some.classes).toBeLessThan(all.classes)
    expect(some.notCompared).toContain('10.96.0.80')
  })
})
