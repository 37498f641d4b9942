import type { Features } from '@kube-rules/compiler/internal/model/configuration/features'
import { blockingVerdictOf } from '@kube-rules/compiler/internal/plan/frontend'
import type { Frontend, FrontendKind } from '@kube-rules/compiler/internal/plan/plan'
import type { Packet } from '@kube-rules/types'
import type { BlockingVerdict } from '../shared/blocking-verdict.js'

/** The facts about a packet after DNAT, and about its endpoint. */
interface Translated extends Pick<Packet, 'origin'> {
  /** Whether the endpoint has an address of the node. */
  readonly isOwn: boolean
  /** Whether the endpoint has the port of a health check. */
  readonly isHealthCheck: boolean
  readonly masquerade: boolean
}

/**
 * Returns the outcome of a packet to an endpoint with the address and port of these frontends, in versions until 1.24;
 * undefined if it is not rejected. In these versions, the filter table has no firewall chain and only rejects. Until
 * 1.18, the chain of the cluster IPs also rejects load-balancer IPs, INPUT jumps to that chain, and FORWARD does not
 * jump to the rejects of other external frontends.
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
