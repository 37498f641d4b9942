import type { ServicePort } from '../../../model/services/service-port.js'
import type { ServicePlan } from '../../../plan/plan.js'

/** The properties of a service port that matter to kube-proxy in userspace mode. */
export interface UserspaceProxyPort {
  /** A text that changes if and only if kube-proxy opens a new proxy port for the service port. */
  readonly identity: string
  /**
   * Whether kube-proxy stops creating rules at an address of the Service in the other family. If so, later addresses
   * are not served.
   */
  readonly stopsEarly: boolean
}

/** The additional plan of a service port if a local process accepts its connections. */
export interface UserspaceProxyPlan extends UserspaceProxyPort {
  /**
   * Whether the userspace proxy opens the service port, provided that there is no port conflict. The userspace proxy
   * supports one address family, and does not support SCTP.
   */
  readonly isOpened: boolean
  /** Settings of the Service that the userspace proxy ignores. */
  readonly ignores: readonly IgnoredServiceSetting[]
}

export type IgnoredServiceSetting = 'policies' | 'sourceRanges'

/** A service port in userspace mode. */
export interface UserspaceServicePort extends ServicePort {
  readonly proxied: UserspaceProxyPort
}

/** The plan of a service port in userspace mode. */
export interface UserspaceServicePlan extends ServicePlan {
  readonly proxied: UserspaceProxyPlan
}

export function isUserspaceServicePort(servicePort: ServicePort): servicePort is UserspaceServicePort {
  return 'proxied' in servicePort
}

/** Returns the additional part of a plan that exists in userspace mode. Returns undefined for a plan of another mode. */
export function userspaceProxyPlanOf(service: ServicePlan | undefined): UserspaceProxyPlan | undefined {
  return service !== undefined && isProxiedPlan(service) ? service.proxied : undefined
}

function isProxiedPlan(service: ServicePlan): service is UserspaceServicePlan {
  return 'proxied' in service
}
