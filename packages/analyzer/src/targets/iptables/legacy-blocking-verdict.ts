import type { Features } from '@kube-rules/compiler/internal/model/configuration/features'
import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Frontend, FrontendKind } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'

/** The facts about a packet after DNAT and about the endpoint that DNAT selected. */
interface Translated extends Pick<Packet, 'origin'> {
  /** Whether the endpoint has an address of the node. */
  readonly isOwn: boolean
  /** Whether the endpoint has the port of a health check. */
  readonly isHealthCheck: boolean
  readonly masquerade: boolean
}

/**
 * Returns the outcome of a packet to an endpoint in versions up to 1.24. `frontends` have the address and port of the
 * endpoint. Undefined if the packet is not rejected. In these versions, the filter table has no firewall chain, and its
 * rules reject but never drop. Up to 1.18, the chain for cluster IPs also rejects packets to load-balancer IPs, INPUT
 * jumps to that chain, and FORWARD does not jump to the rejects of other external frontends.
 */
export function findLegacyBlockingVerdict(
  frontends: readonly Frontend[],
  { origin, isOwn, isHealthCheck, masquerade }: Translated,
  { healthChecksAccepted, inputEntersServices, loadBalancersRejectedInServices }: Features,
): BlockingVerdict | undefined {
  const inServices: readonly FrontendKind[] = loadBalancersRejectedInServices
    ? ['clusterIP', 'loadBalancer']
    : ['clusterIP']
  const rejecting = frontends.filter((frontend) => blockingVerdictOf(frontend) === 'reject')
  const services = rejecting.some(({ kind }) => inServices.includes(kind))
  const external = rejecting.some(({ kind }) => !inServices.includes(kind))
  const input = !(healthChecksAccepted && isHealthCheck) && ((inputEntersServices && services) || external)
  const forward = !masquerade && (services || (!inputEntersServices && external))
  const isRejected = origin === 'node' ? services || (isOwn && input) : isOwn ? input : forward
  return isRejected ? 'rejected' : undefined
}
