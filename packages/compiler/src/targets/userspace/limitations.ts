import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { applyingTo, limitationAlone, type ServiceLimitation } from '../shared/service-limitation.js'
import { type Proxied, proxiedOf } from './planning/proxied.js'

const KNOWN: readonly ServiceLimitation<Proxied>[] = [
  {
    code: 'noSctp',
    reason: 'over SCTP there are no rules, because the process takes no connections over it',
    applies: ({ id }) => id.protocol === 'SCTP',
  },
  {
    code: 'policiesIgnored',
    reason:
      'traffic policy Local is not known: the process sends to endpoints anywhere, and these see the node as the client',
    applies: (_, { ignores }) => ignores.includes('policies'),
  },
  {
    code: 'sourceRangesIgnored',
    reason: 'source ranges are not known: load-balancer IPs accept every source',
    applies: (_, { ignores }) => ignores.includes('sourceRanges'),
  },
  {
    code: 'otherFamilyStops',
    reason:
      'one of the addresses is of the other family, of which iptables takes none: there are no rules for it nor for any address or node port after it',
    applies: (_, { isOpened, isCutShort }) => isOpened && isCutShort,
  },
]

/** What holds for all Services alike, or depends on others, and is no limitation to report of a single one. */
const GENERAL: readonly Limitation[] = [
  {
    code: 'claimStops',
    reason:
      'another service port has one of the node ports, or of the addresses that the node has: there are no rules for it nor for any address or node port after it',
  },
  {
    code: 'oneFamily',
    reason: 'rules are of one address family, that of the node, and of Services whose first cluster IP is of it',
  },
  {
    code: 'topologyIgnored',
    reason: 'topology is not known: the process sends to endpoints wherever they are',
  },
  {
    code: 'externalIPsOfOthers',
    reason:
      'packets made on the node, and those of pods that come by a bridge, are not led to the process at external IPs that are no addresses of the node; they go on as they are',
  },
  {
    code: 'healthCheckNotServed',
    reason: 'there are no health-check node ports',
  },
  {
    code: 'ipModeIgnored',
    reason: 'ipMode is not known: load-balancer IPs whose packets come by a proxy lead to the process, too',
  },
  {
    code: 'connectionsTaken',
    reason:
      'the process takes every connection and opens one of its own, so that endpoints see the node as the client, and where there are no endpoints the connection is closed instead of refused',
  },
]

/** Everything mode userspace does otherwise than Services ask for. */
export const LIMITATIONS: readonly Limitation[] = [...KNOWN.map(limitationAlone), ...GENERAL]

/** Those of the limitations that make a difference to one service port more than to others. */
export function limitationsOf(service: ServicePlan): readonly Limitation[] {
  const proxied = proxiedOf(service)
  return proxied === undefined ? [] : applyingTo(KNOWN, service, proxied)
}
