import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { applyingTo, limitationAlone, type ServiceLimitation } from '../shared/service-limitation.js'
import { isTooLongComment } from './elements.js'
import { isGuarded } from './firewall-chain.js'
import type { Lowering } from './lowering.js'

const KNOWN: readonly ServiceLimitation<Lowering>[] = [
  {
    code: 'commentTooLong',
    reason:
      'nft takes no comment of more than 128 bytes, so that kube-proxy of this version fails to write any rule as long as this Service is there',
    applies: ({ id }, { features }) => !features.cutComments && isTooLongComment(id.text),
  },
  {
    code: 'guardedWithoutEndpoints',
    reason:
      'source ranges hold before it is known whether there are endpoints, so that who may not come is dropped, not rejected',
    applies: ({ reachable, frontends }) => reachable.length === 0 && frontends.some(isGuarded),
  },
]

/** What holds for all Services alike and is nothing to report of a single one. */
const GENERAL: readonly Limitation[] = [
  {
    code: 'otherPortsRefused',
    reason: 'other ports of cluster IPs are refused where packets for them are forwarded or leave the node',
  },
  {
    code: 'unallocatedDropped',
    reason:
      'packets for addresses of a ServiceCIDR that no Service has are dropped where they are forwarded or leave the node',
  },
  {
    code: 'healthCheckNotAccepted',
    reason: 'no rule accepts packets for health-check node ports: a table cannot overrule what others drop',
  },
  {
    code: 'ownPacketsNotShortCircuited',
    reason:
      'until 1.33, packets made on the node for external destinations of a Service with policy Local are dropped where no endpoint is on it, because filters come before the short circuit',
  },
  {
    code: 'guardedAddress',
    reason:
      'an address that is both an external IP and a load-balancer IP is held against source ranges whichever was meant',
  },
  {
    code: 'endpointRefused',
    reason:
      'an endpoint at an address and port that another Service refuses is refused, too, because filters see packets when they have the address of their endpoint',
  },
  {
    code: 'remoteHairpin',
    reason:
      'from 1.36 on, a packet that comes back to where it came from is masqueraded only for endpoints on this node',
  },
]

/** Everything mode nftables does otherwise than a plan says. */
export const LIMITATIONS: readonly Limitation[] = [...KNOWN.map(limitationAlone), ...GENERAL]

/** Those of the limitations that make a difference to one service port of the plan more than to others. */
export function limitationsOf(service: ServicePlan, lowering: Lowering): readonly Limitation[] {
  return applyingTo(KNOWN, service, lowering)
}
