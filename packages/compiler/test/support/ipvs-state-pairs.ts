import fc from 'fast-check'
import type { ServicePort } from '../../src/model/services/service-port.js'
import { createIpvsContribution, type IpvsContribution } from '../../src/targets/ipvs/ipvs-contribution.js'
import { createLoweringContext } from '../../src/targets/ipvs/lowering-context.js'
import { assembleIpvsMode, type IpvsNodeState, ipvsLowering } from '../../src/targets/ipvs/mode-lowering.js'
import { buildPlan } from './build-plan.js'
import { cidr } from './decisions.js'
import { type IpvsConfiguration, ipvsModel, ipvsSettings } from './ipvs-states.js'
import { allParts } from './lower.js'
import { endpoint, servicePort } from './model-builder.js'

/** Builds the state of these service ports, and reuses equal entries of another state, as a compile does. */
export function stateAfter(
  previous: IpvsNodeState | undefined,
  servicePorts: readonly ServicePort[],
  configuration: IpvsConfiguration = {},
): IpvsNodeState {
  const model = ipvsModel(
    [...servicePorts].sort((a, b) => (a.id.text < b.id.text ? -1 : 1)),
    configuration,
  )
  const plan = buildPlan(model)
  const known = new Map(partsOf(previous).map((part) => [JSON.stringify(part), part]))
  const parts = plan.services.map((service) => {
    const part = createIpvsContribution(service, createLoweringContext(plan))
    return known.get(JSON.stringify(part)) ?? part
  })
  const before = partsOf(previous)
  const replacements = [{ at: 0, removed: before.length, added: parts }]
  const { counts } = allParts(ipvsLowering, before)
  const earlier = previous && { state: previous, header: plan, parts: before, counts, replacements }
  return assembleIpvsMode(allParts(ipvsLowering, parts), plan, earlier).state
}

/** Returns the contribution of each service port, in plan order. */
export function partsOf(state: IpvsNodeState | undefined): readonly IpvsContribution[] {
  return (state?.ipvs.contributions ?? []) as readonly IpvsContribution[]
}

const endpoints = fc.uniqueArray(
  fc.record({
    ip: fc.integer({ min: 1, max: 5 }).map((host) => `10.180.0.${host}`),
    local: fc.boolean(),
    ready: fc.boolean(),
  }),
  { selector: ({ ip }) => ip, maxLength: 4 },
)

const names = ['a', 'b', 'c', 'd'] as const

/** Generates service ports with few addresses and ports, so that they often have conflicting claims. */
function servicePortsNamed(name: string): fc.Arbitrary<ServicePort> {
  return fc
    .record({
      protocol: fc.constantFrom('TCP' as const, 'UDP' as const, 'SCTP' as const),
      port: fc.constantFrom(80, 3000),
      clusterIP: fc.constantFrom('172.30.0.1', '172.30.0.2', '172.30.0.3'),
      externalIPs: fc.subarray(['192.0.2.1', '192.168.0.2', '172.30.0.2']),
      loadBalancerIPs: fc.subarray(['198.51.100.1', '198.51.100.2']),
      sourceRanges: fc.subarray([cidr('203.0.113.0/24'), cidr('192.168.0.0/16'), cidr('0.0.0.0/0')]),
      nodePort: fc.constantFrom(0, 3000, 3001),
      affinitySeconds: fc.constantFrom(undefined, 10_800),
      internalPolicyLocal: fc.boolean(),
      externalPolicyLocal: fc.boolean(),
      healthCheckNodePort: fc.constantFrom(0, 32_000),
      endpoints,
    })
    .map((fields) => servicePort({ ...fields, name, endpoints: fields.endpoints.map(endpoint) }))
}

const clusters: fc.Arbitrary<readonly ServicePort[]> = fc
  .subarray([...names])
  .chain((chosen) => fc.tuple(...chosen.map(servicePortsNamed)))

const configurations = fc.constantFrom<IpvsConfiguration>(
  {},
  {},
  { settings: { ipvs: ipvsSettings({ scheduler: 'mh' }) } },
  { settings: { masqueradeAll: true } },
  { node: { nodePorts: { all: false, addresses: ['192.168.0.2'], containsLoopback: false } } },
  { node: { nodePorts: { all: false, addresses: [], containsLoopback: false } } },
)

/** Generates three successive states; each shares equal parts with the previous one. */
export const histories: fc.Arbitrary<readonly [IpvsNodeState, IpvsNodeState, IpvsNodeState]> = fc
  .record({
    clusters: fc.tuple(clusters, clusters, clusters),
    kept: fc.subarray([...names]),
    configurations: fc.oneof(
      { weight: 3, arbitrary: configurations.map((same) => [same, same, same] as const) },
      fc.tuple(configurations, configurations, configurations),
    ),
  })
  .map(({ clusters: [first, second, third], kept, configurations: [one, two, three] }) => {
    const isKept = ({ id }: ServicePort) => kept.some((name) => name === id.name)
    const follow = (before: readonly ServicePort[], after: readonly ServicePort[]) => [
      ...before.filter(isKept),
      ...after.filter((port) => !isKept(port)),
    ]
    const a = stateAfter(undefined, first, one)
    const b = stateAfter(a, follow(first, second), two)
    return [a, b, stateAfter(b, follow(first, third), three)] as const
  })
