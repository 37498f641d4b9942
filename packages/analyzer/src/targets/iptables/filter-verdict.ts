import { isNodeAddress } from '@kube-rules/compiler/internal/plan/decide'
import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Frontend, FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import { isLoopback } from '@kube-rules/types/internal/ip'
import { type BlockingVerdict, combineBlockingVerdicts } from '../shared/blocking-verdict.js'
import type { Place } from '../shared/packet-walk.js'

/** The destination of a packet in the filter table, after the nat table. */
export interface FilteredDestination extends Place {
  /** Whether the nat table marked the packet for masquerading. */
  readonly isMarked: boolean
}

/**
 * Returns the verdict of the filter table on a packet; undefined if the table passes it.
 *
 * INPUT jumps to the load-balancer firewall, to accepted health checks and to rejects of external frontends. FORWARD
 * jumps to the firewall, to the accept rule for marked packets, and to rejects of cluster IPs and external frontends.
 * OUTPUT jumps to the firewall and to rejects of cluster IPs. Packets of the node to itself traverse OUTPUT and INPUT.
 */
export function findFilterVerdict(
  plan: Plan,
  { origin, protocol }: Packet,
  { address, port, isMarked }: FilteredDestination,
): BlockingVerdict | undefined {
  const { features } = plan.kernel
  const isOwn = isNodeAddress(plan.node, address)
  const frontends = findFrontendsWithRules(plan, protocol, { address, port })
  const inServices = (kind: FrontendKind) =>
    kind === 'clusterIP' || (kind === 'loadBalancer' && features.loadBalancersRejectedInServices)
  const services = combineBlockingVerdicts(frontends.filter(({ kind }) => inServices(kind)))
  const external = combineBlockingVerdicts(frontends.filter(({ kind }) => !inServices(kind)))
  const firewall = features.dropsInFilter && frontends.some(isFirewalled) ? 'dropped' : undefined
  const isAccepted = protocol === 'TCP' && isAcceptedHealthCheck(plan, port)
  const input =
    firewall ?? (isAccepted ? undefined : ((features.inputEntersServices ? services : undefined) ?? external))
  if (origin === 'node') return firewall ?? services ?? (isOwn ? input : undefined)
  if (isOwn) return input
  return firewall ?? (isMarked ? undefined : (services ?? (features.inputEntersServices ? undefined : external)))
}

/** Reports whether KUBE-FIREWALL drops a packet to 127.0.0.0/8 without a rewritten destination (CVE-2020-8558). */
export function isDroppedAtLocalnet({ localhostNodePorts, kernel }: Plan, { source, destination }: Packet): boolean {
  if (!localhostNodePorts || !kernel.features.localnetGuard) return false
  return isLoopback(destination) && !destination.includes(':') && !isLoopback(source)
}

/**
 * Returns the frontends with rules in the filter table for a destination. Node ports have rules for every address of the
 * node. Up to 1.24, the table only rejects packets.
 */
function findFrontendsWithRules(
  { services, node, kernel }: Plan,
  protocol: Packet['protocol'],
  { address, port }: Place,
): readonly Frontend[] {
  const { dropsInFilter, nodePortRulesWithoutAddress } = kernel.features
  const haveNodePortsRules = nodePortRulesWithoutAddress || node.nodePorts.all || node.nodePorts.addresses.length > 0
  const atNodePorts = haveNodePortsRules && isNodeAddress(node, address)
  return services
    .filter(({ id }) => id.protocol === protocol)
    .flatMap(({ frontends }) => frontends)
    .filter((frontend) => frontend.port === port)
    .filter(({ kind, ...frontend }) => (kind === 'nodePort' ? atNodePorts : frontend.address === address))
    .filter((frontend) => dropsInFilter || blockingVerdictOf(frontend) === 'reject')
}

function isFirewalled({ allowedSources, clauses }: Frontend): boolean {
  return allowedSources !== undefined && clauses.some(({ action }) => action.kind === 'pool')
}

function isAcceptedHealthCheck({ services, kernel }: Plan, port: number): boolean {
  return (
    kernel.features.healthChecksAccepted && services.some(({ healthCheckNodePort }) => healthCheckNodePort === port)
  )
}
