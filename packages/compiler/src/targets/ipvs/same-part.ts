import { sameValue } from '../../diff/resource.js'
import type { Frontend, ServicePlan } from '../../plan/plan.js'
import { sameEndpoints, samePackets } from '../shared/same-packets.js'
import type { Lowering } from './lowering.js'

/** Whether two plans of one service port, each with a lowering, come to the same entries, servers and limitations. */
export function isSamePart(
  service: ServicePlan,
  lowering: Lowering,
  other: ServicePlan,
  otherLowering: Lowering,
): boolean {
  return (
    sameEndpoints(service.onThisNode, other.onThisNode) &&
    samePackets(service, other) &&
    (lowering === otherLowering || sameForFrontends(service.frontends, lowering, otherLowering))
  )
}

/** The node's own addresses matter to node ports, and to those of its frontends that would be bound were they not the node's. */
function sameForFrontends(frontends: readonly Frontend[], one: Lowering, other: Lowering): boolean {
  if (one.scheduler !== other.scheduler || one.flags !== other.flags || one.family !== other.family) return false
  return frontends.every(({ kind, address = '' }) => {
    if (kind === 'nodePort') return sameForNodePorts(one, other)
    return kind === 'clusterIP' || one.ownAddresses.includes(address) === other.ownAddresses.includes(address)
  })
}

function sameForNodePorts(one: Lowering, other: Lowering): boolean {
  return (
    one.losesNodePortAddress === other.losesNodePortAddress && sameValue(one.nodePortAddresses, other.nodePortAddresses)
  )
}
