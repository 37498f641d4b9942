import type { ServicePort } from '../../../model/services/service-port.js'
import type { ServicePlan } from '../../../plan/plan.js'

/** What kube-proxy of mode userspace sees in a service port. */
export interface ProxiedPort {
  /** All by which it tells whether the service port has changed: where this is another text, it opens another proxy port. */
  readonly identity: string
  /** Whether it stops before some address of the Service, which is of the other family, and so before all that come after. */
  readonly isCutShort: boolean
}

/** A service port of which a process of the node takes the connections. */
export interface Proxied extends ProxiedPort {
  /** Whether the process opens it, so far as it is not claimed by others: it knows one address family, and no SCTP. */
  readonly isOpened: boolean
  /** What the Service asks for that the process does not know. */
  readonly ignores: readonly IgnoredByProxy[]
}

export type IgnoredByProxy = 'policies' | 'sourceRanges'

/** A service port as mode userspace reads it. */
export interface ProxiedServicePort extends ServicePort {
  readonly proxied: ProxiedPort
}

/** The plan of a service port as mode userspace makes it. */
export interface ProxiedServicePlan extends ServicePlan {
  readonly proxied: Proxied
}

export function isProxiedPort(servicePort: ServicePort): servicePort is ProxiedServicePort {
  return 'proxied' in servicePort
}

/** Returns what mode userspace has planned beside the plan of other modes; undefined for a plan of another mode. */
export function proxiedOf(service: ServicePlan | undefined): Proxied | undefined {
  return service !== undefined && isProxiedPlan(service) ? service.proxied : undefined
}

function isProxiedPlan(service: ServicePlan): service is ProxiedServicePlan {
  return 'proxied' in service
}
