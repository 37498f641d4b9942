import { formatDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/format-destination'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { createExampleSource } from '../../explain/example-source.js'
import { createSourceContext } from '../../explain/explain.js'
import { formatList } from '../../explain/format-list.js'
import { frontendsOfPlan } from '../../explain/frontends-of-plan.js'
import { ORIGINS } from '../../explain/reachability.js'
import { preferKnownPaths } from '../../program/missing-content.js'
import { createTracer } from '../../trace/trace.js'
import type { TracePath } from '../../trace/trace-paths.js'
import { formatOutcomes, formatPackets } from '../packet-diagnosis-context.js'
import { type ChangedNode, knownStateOf, type PacketTrial, type TrialObjects } from './node-trial.js'
import type { StepChange } from './step-change.js'

/**
 * Describes which other packets changes affect: packets that are sent directly to an endpoint, for an inserted rule, or
 * to the other frontends of the Service, for a change of the Service. Empty if no such packet is affected.
 */
export function describeSideEffects(changes: readonly StepChange[], after: ChangedNode, trial: PacketTrial): string {
  const isRule = changes.some(({ kind }) => kind === 'insertRule')
  const isService = changes.some(({ kind }) => kind === 'patchService' || kind === 'removeExternalIP')
  const packets = isRule ? directPackets(after, trial) : isService ? packetsToFrontends(trial) : []
  const before = createTracer(knownStateOf(trial), trial.traceContext)
  const effects = packets.flatMap((packet) => {
    const [old, fresh] = [before(packet), after.trace(packet)].map(preferKnownPaths)
    if (old === undefined || fresh === undefined || formatOutcomes(old) === formatOutcomes(fresh)) return []
    return {
      packet,
      effect: isRule ? 'without the Service' : `${formatOutcomes(fresh)} (before: ${formatOutcomes(old)})`,
    }
  })
  if (effects.length === 0) return ''
  const texts = formatList([...groupItems(effects, keyOf).values()].map(formatEffects))
  return isRule ? `also accepts ${texts}` : `also, ${texts}`
}

/** An effect on a packet: `reach 10.244.1.5:8080 (before: are dropped)`. */
interface SideEffect {
  readonly packet: Packet
  readonly effect: string
}

function keyOf({ packet: { destination, destinationPort, protocol }, effect }: SideEffect): string {
  return `${destination} ${destinationPort} ${protocol} ${effect}`
}

/** Formats one effect on packets from one or more origins to one destination. */
function formatEffects(effects: readonly SideEffect[]): string {
  const [first] = effects
  if (first === undefined) return ''
  const { destination: address, destinationPort: port, protocol } = first.packet
  const packets =
    effects.length === ORIGINS.length
      ? `packets to ${formatDestination({ address, port, protocol })}`
      : effects.map(({ packet }) => formatPackets(packet)).join(' and ')
  return `${packets} ${first.effect}`
}

/**
 * Returns packets from each origin to the endpoints that the packet reaches without a firewall. Without objects, these
 * are the endpoints that it reaches after the changes.
 */
function directPackets(after: ChangedNode, trial: PacketTrial): readonly Packet[] {
  const { objects, packet } = trial
  const [service] = objects === undefined ? [] : servicesOf(objects)
  const endpoints = objects === undefined ? endpointsOfPaths(after.trace(packet)) : (service?.reachable ?? [])
  return endpoints.flatMap(({ ip, port }) => fromEachOrigin(trial, packet.protocol, ip, port))
}

function endpointsOfPaths(paths: readonly TracePath[]): readonly Pick<Endpoint, 'ip' | 'port'>[] {
  const delivered = paths.flatMap(({ outcome }) =>
    outcome.kind === 'delivered' ? { ip: outcome.address, port: outcome.port } : [],
  )
  return [...new Map(delivered.map((each) => [joinHostPort(each.ip, each.port), each])).values()]
}

function servicesOf({ family, services }: TrialObjects): Plan['services'] {
  return family.plan.services.filter(({ id }) =>
    services.some(({ namespace, name }) => id.namespace === namespace && id.name === name),
  )
}

function packetsToFrontends(trial: PacketTrial): readonly Packet[] {
  const { objects } = trial
  if (objects === undefined) return []
  const { plan } = objects.family
  const services = servicesOf(objects)
  return frontendsOfPlan({ ...plan, services })
    .flatMap(({ protocol, address, port }) => fromEachOrigin(trial, protocol, address, port))
    .filter(
      ({ origin, destination, destinationPort, protocol }) =>
        origin !== trial.packet.origin ||
        destination !== trial.packet.destination ||
        destinationPort !== trial.packet.destinationPort ||
        protocol !== trial.packet.protocol,
    )
}

function fromEachOrigin(
  { state, traceContext, objects }: PacketTrial,
  protocol: Packet['protocol'],
  destination: string,
  destinationPort: number,
): readonly Packet[] {
  const context = createSourceContext(state, traceContext, objects?.family.plan)
  return ORIGINS.flatMap((origin) => {
    const source = createExampleSource(origin, context)
    return source === undefined ? [] : { ...source, protocol, destination, destinationPort }
  })
}
