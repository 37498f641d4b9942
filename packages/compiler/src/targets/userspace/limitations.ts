import type { ServicePlan } from '../../plan/plan.js'
import type { Limitation } from '../mode-lowering.js'
import { limitationsOfServicePort, type ServiceLimitation } from '../shared/service-limitation.js'
import { type UserspaceProxyPlan, userspaceProxyPlanOf } from './planning/plan-service.js'

/** Limitations that affect individual Services. */
export const SERVICE_LIMITATIONS: readonly ServiceLimitation<UserspaceProxyPlan>[] = [
  {
    code: 'noSctp',
    reason: 'SCTP service ports have no rules, because the userspace proxy does not support SCTP',
    applies: ({ id }) => id.protocol === 'SCTP',
  },
  {
    code: 'policiesIgnored',
    reason:
      'traffic policy Local is not supported: the userspace proxy uses endpoints on any node, and these see the node as the client',
    applies: (_, { ignores }) => ignores.includes('policies'),
  },
  {
    code: 'sourceRangesIgnored',
    reason: 'source ranges are not supported: load-balancer IPs accept every source',
    applies: (_, { ignores }) => ignores.includes('sourceRanges'),
  },
  {
    code: 'otherFamilyStops',
    reason:
      'one of the addresses belongs to the other IP family, so there are no rules for this address and for the addresses and node ports that follow it',
    applies: (_, { isOpened, stopsEarly }) => isOpened && stopsEarly,
  },
]

/**
 * Limitations that affect all Services equally, or depend on other Services, and are not reported per Service.
 * Only the documentation contains them.
 */
export const GENERAL_LIMITATIONS: readonly Limitation[] = [
  {
    code: 'claimStops',
    reason:
      'another service port uses one of the node ports or node addresses, so there are no rules for it and for the addresses and node ports that follow it',
  },
  {
    code: 'oneFamily',
    reason: 'rules cover only the address family of the node, and Services with a first cluster IP of that family',
  },
  {
    code: 'topologyIgnored',
    reason: 'topology is not supported: the userspace proxy uses endpoints in any zone',
  },
  {
    code: 'externalIPsOfOthers',
    reason:
      'packets to external IPs that are not addresses of the node do not reach the userspace proxy if they are locally generated or come from pods on a bridge',
  },
  {
    code: 'healthCheckNotServed',
    reason: 'there are no health-check node ports',
  },
  {
    code: 'ipModeIgnored',
    reason: 'ipMode is not supported: packets to load-balancer IPs with ipMode Proxy reach the userspace proxy too',
  },
  {
    code: 'connectionsTaken',
    reason:
      'the userspace proxy accepts every connection and opens a new one to an endpoint, so endpoints see the node as the client; without endpoints, it closes the connection instead of rejecting it',
  },
]

/** Returns the limitations that affect one particular service port. */
export function limitationsOf(service: ServicePlan): readonly Limitation[] {
  const proxied = userspaceProxyPlanOf(service)
  return proxied === undefined ? [] : limitationsOfServicePort(SERVICE_LIMITATIONS, service, proxied)
}
