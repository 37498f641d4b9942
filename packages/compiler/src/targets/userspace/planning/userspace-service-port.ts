import type { ServicePort } from '../../../model/services/service-port.js'
import type { ServicePlan } from '../../../plan/plan.js'

/** The properties of a service port for kube-proxy in mode userspace. */
export interface UserspaceProxyPort {
  /** A text that changes if and only if kube-proxy opens another proxy port. */
  readonly identity: string
  /**
   * Whether kube-proxy stops at an address of the Service in the other family, so that later addresses are not served.
   */
  readonly stopsEarly: boolean
}

/** The plan of a service port for a local process that accepts its connections. */
export interface UserspaceProxyPlan extends UserspaceProxyPort {
  /**
   * Whether the process opens the service port if there is no port conflict. The process supports one address family,
   * and no SCTP.
   */
  readonly isOpened: boolean
  /** Settings of the Service that the process ignores. */
  readonly ignores: readonly IgnoredServiceSetting[]
}

export type IgnoredServiceSetting = 'policies' | 'sourceRanges'

/** A service port in mode userspace. */
export interface UserspaceServicePort extends ServicePort {
  readonly proxied: UserspaceProxyPort
}

/** The plan of a service port in mode userspace. */
export interface UserspaceServicePlan extends ServicePlan {
  readonly proxied: UserspaceProxyPlan
}

export function isUserspaceServicePort(servicePort: ServicePort): servicePort is UserspaceServicePort {
  return 'proxied' in servicePort
}

/** Returns the additional part of the plan in mode userspace; undefined for a plan of another mode. */
export function userspaceProxyPlanOf(service: ServicePlan | undefined): UserspaceProxyPlan | undefined {
  return service !== undefined && isProxiedPlan(service) ? service.proxied : undefined
}

function isProxiedPlan(service: ServicePlan): service is UserspaceServicePlan {
  return 'proxied' in service
}
