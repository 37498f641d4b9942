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

/** Whether frontends come to the same: addresses of the node matter to node ports and to addresses the node may have. */
function sameForFrontends(frontends: readonly Frontend[], one: Lowering, other: Lowering): boolean {
  return sameValue(neededOf(frontends, one), neededOf(frontends, other))
}

function neededOf(frontends: readonly Frontend[], lowering: Lowering): Partial<Lowering> {
  const { nodePortAddresses, losesNodePortAddress, ownAddresses, ...always } = lowering
  const forNodePorts = frontends.some(({ kind }) => kind === 'nodePort') && { nodePortAddresses, losesNodePortAddress }
  const taken = ownAddresses.filter((own) => frontends.some(({ address }) => address === own))
  return { ...always, ...forNodePorts, ownAddresses: taken }
}
