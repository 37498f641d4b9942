import type { EndpointPort, EndpointSlice, Endpoints, IpFamily, SliceEndpoint, SlicePort } from '@kube-rules/types'
import fc from 'fast-check'
import { NODE_NAMES, type ObjectName } from './object-names.js'
import { anyOf, oneOf, someOf } from './weighted.js'

// Endpoints of a Service, in slices and in the old objects. Pools usually have two to four. Common properties of a
// slice's endpoints (all are running, all are terminating, all have hints) are drawn per slice, because topology
// applies to all endpoints or to none.

const POD_IPS: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['10.244.1.1', '10.244.1.2', '10.244.1.10', '10.244.2.1', '10.244.2.2', '10.244.10.1'],
  IPv6: ['fd00:244:1::1', 'fd00:244:1::2', 'fd00:244:1::10', 'fd00:244:2::1', 'fd00:244:10::1'],
}

/** Addresses of pods on the host's network, also external IPs of Services. */
const NODE_IPS: Readonly<Record<IpFamily, string>> = { IPv4: '192.168.0.2', IPv6: '2001:db8:0::2' }

/** External IPs of Services, which ipvs mode binds on the node. */
const CLAIMED_IPS: Readonly<Record<IpFamily, string>> = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' }

const SLICE_PORTS: readonly EndpointPort[] = [
  { name: 'http', port: 8080 },
  { name: 'https', protocol: 'TCP', port: 8443 },
  { name: 'dns', protocol: 'UDP', port: 53 },
  { name: 'dns-tcp', protocol: 'TCP', port: 53 },
  { name: 'sig', protocol: 'SCTP', port: 1 },
  { name: '', port: 80 },
]

type Conditions = NonNullable<SliceEndpoint['conditions']>
type Hints = SliceEndpoint['hints']

const RUNNING: fc.Arbitrary<Conditions> = oneOf<Conditions>(
  [3, { ready: true }],
  [1, {}],
  [1, { ready: null }],
  [1, { ready: true, serving: true, terminating: false }],
)
const DRAINING: fc.Arbitrary<Conditions> = oneOf<Conditions>(
  [3, { ready: false, serving: true, terminating: true }],
  [1, { ready: false, serving: false, terminating: true }],
)
const STARTING: fc.Arbitrary<Conditions> = oneOf<Conditions>(
  [1, { ready: false }],
  [1, { ready: false, serving: false }],
)
const ANY_CONDITIONS = anyOf([3, RUNNING], [2, DRAINING], [1, STARTING])

const NO_HINTS: fc.Arbitrary<Hints> = fc.constant(undefined)
const ZONE_HINTS: fc.Arbitrary<Hints> = oneOf<Hints>(
  [3, { forZones: [{ name: 'z1' }] }],
  [3, { forZones: [{ name: 'z2' }] }],
  [1, { forZones: [{ name: 'z1' }, { name: 'z2' }] }],
)
const NODE_HINTS: fc.Arbitrary<Hints> = oneOf<Hints>(
  [1, { forNodes: [{ name: 'node-1' }] }],
  [1, { forNodes: [{ name: 'node-2' }], forZones: [{ name: 'z1' }] }],
)
const ANY_HINTS = anyOf([1, NO_HINTS], [2, ZONE_HINTS], [1, NODE_HINTS], [1, fc.constant<Hints>({ forZones: [] })])

/** The common properties of one slice's endpoints. */
const CHARACTERS = fc.record({
  conditions: oneOf([8, RUNNING], [3, ANY_CONDITIONS], [2, DRAINING]),
  hints: oneOf([7, NO_HINTS], [4, ZONE_HINTS], [2, NODE_HINTS], [1, ANY_HINTS]),
})

const ON_NODES = oneOf([4, NODE_NAMES[0]], [3, NODE_NAMES[1]], [1, null])

/** Second addresses of endpoints, which are ignored. */
const SECOND_IPS: Readonly<Record<IpFamily, readonly string[]>> = {
  IPv4: ['10.244.1.1', '10.244.9.9'],
  IPv6: ['fd00:244:1::1', 'fd00:244:9::9'],
}

/** Generates endpoints, occasionally with a duplicate address: a new pod can have the address of a terminating one. */
function sliceEndpoints(family: IpFamily): fc.Arbitrary<readonly SliceEndpoint[]> {
  const twin = fc.record({
    seconds: fc.subarray([...SECOND_IPS[family]]),
    conditions: ANY_CONDITIONS,
    nodeName: ON_NODES,
    of: fc.nat(4),
    at: fc.nat(4),
  })
  return fc
    .tuple(differentEndpoints(family), anyOf([5, fc.constant(undefined)], [1, twin]))
    .map(([endpoints, twin]) => {
      const original = endpoints[(twin?.of ?? 0) % Math.max(1, endpoints.length)]
      if (twin === undefined || original === undefined) return endpoints
      const { seconds, conditions, nodeName, at } = twin
      const hints = conditions.ready === false ? undefined : original.hints
      const added = { addresses: [...(original.addresses ?? []), ...seconds], conditions, hints, nodeName }
      return [...endpoints.slice(0, at), added, ...endpoints.slice(at)]
    })
}

function differentEndpoints(family: IpFamily): fc.Arbitrary<readonly SliceEndpoint[]> {
  return fc
    .tuple(
      CHARACTERS,
      someOf(POD_IPS[family], [1, 0], [3, 1], [5, 2], [4, 3], [3, 4], [1, 5]),
      oneOf([17, []], [2, [NODE_IPS[family]]], [1, [CLAIMED_IPS[family]]]),
    )
    .chain(([{ conditions, hints }, pods, others]) =>
      fc.tuple(
        ...[...pods, ...others].map((address) =>
          fc
            .record({ addresses: fc.constant([address]), conditions, hints, nodeName: ON_NODES })
            // The controller sets hints on ready endpoints only.
            .map((each) => (each.conditions.ready === false ? { ...each, hints: undefined } : each)),
        ),
      ),
    )
}

/** Generates a slice of the Service with this name. */
function sliceNamed(
  service: ObjectName,
  slicePorts: readonly SlicePort[],
  family: IpFamily,
  number: number,
): fc.Arbitrary<EndpointSlice> {
  const some = fc.subarray([...slicePorts], { minLength: Math.min(3, slicePorts.length) })
  return fc
    .record({
      ports: anyOf<readonly SlicePort[]>([6, fc.constant(slicePorts)], [1, some]),
      endpoints: sliceEndpoints(family),
    })
    .map(({ ports, endpoints }) => ({
      metadata: {
        namespace: service.namespace,
        name: `${service.name}-${family.toLowerCase()}-${number}`,
        labels: { 'kubernetes.io/service-name': service.name },
      },
      addressType: family,
      ports,
      endpoints,
    }))
}

/**
 * Generates the slices of the Service with this name: usually one of each family, up to three, and occasionally none.
 */
export function slicesOf(
  service: ObjectName,
  slicePorts: readonly SlicePort[] = SLICE_PORTS,
): fc.Arbitrary<readonly EndpointSlice[]> {
  const ofFamily = (family: IpFamily) =>
    someOf([1, 2, 10], [1, 0], [10, 1], [2, 2], [1, 3]).chain((numbers) =>
      fc.tuple(...numbers.map((number) => sliceNamed(service, slicePorts, family, number))),
    )
  return fc.tuple(ofFamily('IPv4'), ofFamily('IPv6')).map((slices) => slices.flat())
}

/** Generates the Endpoints object with this name. */
export function endpointsNamed(name: ObjectName): fc.Arbitrary<Endpoints> {
  const address = fc.record({
    ip: fc.constantFrom(...POD_IPS.IPv4, ...POD_IPS.IPv6, ...Object.values(NODE_IPS)),
    nodeName: oneOf([2, NODE_NAMES[0]], [2, NODE_NAMES[1]], [1, undefined]),
  })
  const subset = fc.record({
    addresses: fc.array(address, { minLength: 1, maxLength: 4 }),
    notReadyAddresses: fc.array(address, { maxLength: 1 }),
    ports: oneOf<readonly EndpointPort[]>([1, SLICE_PORTS], [1, [{ name: 'http', port: 8080 }]], [1, [{ port: 80 }]]),
  })
  return fc.array(subset, { minLength: 1, maxLength: 2 }).map((subsets) => ({ metadata: { ...name }, subsets }))
}
