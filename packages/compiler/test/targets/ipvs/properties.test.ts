import { isDeepStrictEqual } from 'node:util'
import type { Packet } from '@kube-rules/types'
import { cidrContains, parseCidr } from '@kube-rules/types/internal/cidr'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Entry } from '../../../src/dataplane/ipset/ast.js'
import { formatVirtualServer } from '../../../src/dataplane/ipvs/format-server.js'
import type { NodePortAddresses } from '../../../src/model/node/node-port-addresses.js'
import type { ServicePort } from '../../../src/model/services/service-port.js'
import { type Decision, decide } from '../../../src/plan/decide.js'
import type { Plan } from '../../../src/plan/plan.js'
import { limitationsOf } from '../../../src/targets/ipvs/limitations.js'
import { createLoweringContext, type LoweringContext } from '../../../src/targets/ipvs/lowering-context.js'
import type { IpvsNodeState } from '../../../src/targets/ipvs/mode-lowering.js'
import { buildPlan } from '../../support/build-plan.js'
import { checkIpset } from '../../support/check-ipset.js'
import { cidr } from '../../support/decisions.js'
import { filledSets, ipvsModel } from '../../support/ipvs-states.js'
import { lowerIpvs } from '../../support/lower.js'
import { endpoint, servicePort } from '../../support/model-builder.js'
import { runs } from '../../support/runs.js'

const NODE = [
  { interface: 'lo', address: '127.0.0.1' },
  { interface: 'eth0', address: '192.168.0.2' },
  { interface: 'kube-ipvs0', address: '172.30.0.1' },
]

const anyEndpoint = fc.record({
  ip: fc.integer({ min: 1, max: 6 }).map((octet) => `10.180.0.${octet}`),
  ready: fc.boolean(),
  serving: fc.boolean(),
  terminating: fc.boolean(),
  local: fc.boolean(),
})

/**
 * Few addresses and ports, so that service ports often have conflicting claims. Load-balancer IPs are unique, because
 * sets merge the source ranges of all service ports that share one.
 */
const anyServicePort = fc.record({
  protocol: fc.constantFrom('TCP' as const, 'UDP' as const),
  port: fc.constantFrom(80, 3000),
  clusterIP: fc.constantFrom('172.30.0.1', '172.30.0.2', '172.30.0.3'),
  externalIPs: fc.subarray(['192.168.99.1', '192.168.0.2']),
  loadBalancerIPs: fc.subarray([4, 5]),
  nodePort: fc.constantFrom(0, 3000, 3001),
  sourceRanges: fc.subarray([cidr('203.0.113.0/24'), cidr('192.168.0.2/32')]),
  internalPolicyLocal: fc.boolean(),
  externalPolicyLocal: fc.boolean(),
  endpoints: fc.uniqueArray(anyEndpoint, { selector: ({ ip }) => ip, maxLength: 4 }),
})

const anyServicePorts: fc.Arbitrary<readonly ServicePort[]> = fc
  .array(anyServicePort, { minLength: 1, maxLength: 3 })
  .map((all) =>
    all.map(({ endpoints, loadBalancerIPs, ...fields }, index) =>
      servicePort({
        ...fields,
        name: `svc${index}`,
        loadBalancerIPs: loadBalancerIPs.map((octet) => `1.2.${index}.${octet}`),
        endpoints: endpoints.map(endpoint),
      }),
    ),
  )

interface Cluster {
  readonly servicePorts: readonly ServicePort[]
  readonly localhostNodePorts: boolean
  readonly nodePorts: NodePortAddresses
}

const anyCluster: fc.Arbitrary<Cluster> = fc.record({
  servicePorts: anyServicePorts,
  localhostNodePorts: fc.boolean(),
  nodePorts: fc.constantFrom(
    { all: true, addresses: [], containsLoopback: true },
    { all: false, addresses: ['192.168.0.2'], containsLoopback: false },
    { all: false, addresses: [], containsLoopback: false },
  ),
})

const DESTINATIONS = [
  ...['172.30.0.1', '172.30.0.2', '172.30.0.3', '192.168.99.1', '192.168.0.2'],
  ...['127.0.0.1', '1.2.0.4', '1.2.0.5', '1.2.1.4'],
]

/** Packets to every address and port of the clusters, and to others. */
const PACKETS: readonly Packet[] = ['10.0.0.2', '10.180.0.1', '192.168.0.2', '203.0.113.2', '1.2.0.4'].flatMap(
  (source) =>
    DESTINATIONS.flatMap((destination) =>
      [80, 3000, 3001].flatMap((destinationPort) =>
        (['TCP', 'UDP'] as const).map(
          (protocol) =>
            ({
              ...{ origin: 'outside', protocol, source, destination, destinationPort },
            }) as const,
        ),
      ),
    ),
)

interface Lowered {
  readonly plan: Plan
  readonly lowering: LoweringContext
  readonly state: IpvsNodeState
}

function lowerCluster({ servicePorts, localhostNodePorts, nodePorts }: Cluster): Lowered {
  const model = ipvsModel(servicePorts, { node: { addresses: NODE, nodePorts }, settings: { localhostNodePorts } })
  const plan = buildPlan(model)
  return { plan, lowering: createLoweringContext(plan), state: lowerIpvs(plan) }
}

/** Returns the possible endpoints of a packet; undefined if it is not for a service. */
function reachedByDecision(decision: Decision): readonly string[] | undefined {
  if (decision.kind === 'endpoints') return decision.candidates.map(({ endpoint: { text } }) => text)
  return decision.kind === 'unmatched' ? undefined : []
}

function reachedByServers({ ipvs, ipset }: IpvsNodeState, packet: Packet): readonly string[] | undefined {
  const server = ipvs.virtualServers.find(
    ({ address, port, protocol }) =>
      address === packet.destination && port === packet.destinationPort && protocol === packet.protocol,
  )
  if (server === undefined) return undefined
  const entriesOf = (name: string): readonly Entry[] => ipset.sets.find((set) => set.name === name)?.entries ?? []
  if (entriesOf('KUBE-LOAD-BALANCER-FW').some((entry) => isFor(entry, packet))) {
    const sources = [...entriesOf('KUBE-LOAD-BALANCER-SOURCE-CIDR'), ...entriesOf('KUBE-LOAD-BALANCER-SOURCE-IP')]
    if (!sources.some((entry) => isFor(entry, packet) && isFrom(entry, packet))) return []
  }
  return server.realServers.map(({ address, port }) => `${address}:${port}`)
}

function isFor(entry: Entry, { protocol, destination, destinationPort }: Packet): boolean {
  if (!('protocol' in entry)) return false
  const { address, port } = entry
  return address === destination && port === destinationPort && entry.protocol === protocol.toLowerCase()
}

function isFrom(entry: Entry, { source }: Packet): boolean {
  if (entry.kind === 'ip,port,ip') return entry.secondAddress === source
  const network = entry.kind === 'ip,port,net' ? parseCidr(entry.network) : undefined
  return network !== undefined && cidrContains(network, source)
}

/** Reports whether the packet's service port has a limitation. */
function isLimited({ plan, lowering: createLoweringContext }: Lowered, decision: Decision): boolean {
  if (!('servicePort' in decision)) return false
  const service = plan.services.find(({ id }) => id === decision.servicePort)
  return service !== undefined && limitationsOf(service, createLoweringContext).length > 0
}

it('ipvs virtual servers have the endpoints from decide unless a limitation applies', () => {
  let compared = 0
  fc.assert(
    fc.property(anyCluster, (cluster) => {
      const lowered = lowerCluster(cluster)
      const { plan, state } = lowered
      const wrong = PACKETS.filter((packet) => {
        const decision = decide(plan, packet)
        if (isLimited(lowered, decision)) return false
        if (decision.kind === 'endpoints') compared++
        return !isDeepStrictEqual(reachedByServers(state, packet), reachedByDecision(decision))
      })
      expect(wrong).toEqual([])
    }),
    { numRuns: runs(300) },
  )
  expect(compared).toBeGreaterThan(runs(600))
})

it('ipvs virtual servers have only endpoints that the service port can reach', () => {
  fc.assert(
    fc.property(anyCluster, (cluster) => {
      const { plan, state } = lowerCluster(cluster)
      const wrong = PACKETS.filter((packet) => {
        const decision = decide(plan, packet)
        const service =
          'servicePort' in decision ? plan.services.find(({ id }) => id === decision.servicePort) : undefined
        const reachable = service?.reachable.map(({ text }) => text) ?? []
        return reachedByServers(state, packet)?.some((text) => !reachable.includes(text))
      })
      expect(wrong).toEqual([])
    }),
  )
})

it('the kernel accepts the sets of ipvs mode', () => {
  fc.assert(
    fc.property(anyCluster, (cluster) => {
      const { state } = lowerCluster(cluster)
      expect(checkIpset(state.ipset)).toEqual([])
    }),
  )
})

it('KUBE-IPVS-IPS contains the addresses of kube-ipvs0, and the keys of virtual servers are unique', () => {
  fc.assert(
    fc.property(anyCluster, (cluster) => {
      const { state } = lowerCluster(cluster)
      expect(filledSets(state)['KUBE-IPVS-IPS']).toEqual(state.addresses.addresses)
      const keys = state.ipvs.virtualServers.map(formatVirtualServer)
      expect(new Set(keys).size).toBe(keys.length)
    }),
  )
})
