import type { ServicePort } from '../../../model/services/service-port.js'
import type { ServicePlan } from '../../../plan/plan.js'

/** The properties of a service port for kube-proxy in mode userspace. */
export interface ProxiedPort {
  /** A text for change detection: if it changes, kube-proxy opens another proxy port. */
  readonly identity: string
  /** Whether processing stops at an address of the Service in the other family, and so before all later ones. */
  readonly isCutShort: boolean
}

/** A service port with connections accepted by a local process. */
export interface Proxied extends ProxiedPort {
  /** Whether the process opens it, apart from port conflicts. It supports one address family, and no SCTP. */
  readonly isOpened: boolean
  /** Settings of the Service that the process ignores. */
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
