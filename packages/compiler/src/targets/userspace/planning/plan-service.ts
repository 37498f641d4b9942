import { invariant } from '../../../internal/invariant.js'
import type { ServicePort } from '../../../model/services/service-port.js'
import { PROXY_CLAUSES } from '../../../plan/clauses.js'
import type { Frontend, ServicePlan } from '../../../plan/plan.js'
import type { PlanContext } from '../../../plan/plan-context.js'
import { NO_ENDPOINTS, selectEndpoints } from '../../../plan/select-endpoints.js'
import { isUserspaceServicePort, type UserspaceProxyPort } from './service-ports.js'

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

/** The plan of a service port in userspace mode. */
export interface UserspaceServicePlan extends ServicePlan {
  readonly proxied: UserspaceProxyPlan
}

/**
 * Plans a service port for a local process that accepts its connections. The plan contains ready endpoints on all
 * nodes. If the process does not open the service port, the plan has no frontends. The process opens no SCTP service
 * ports, and no service ports in the family that it does not serve (`UserspaceSettings.isServed`). Mirrors `mergeService`
 * and `openPortal` of the userspace proxier of kube-proxy v1.20.
 */
export function planUserspaceService(servicePort: ServicePort, { settings }: PlanContext): UserspaceServicePlan {
  const { id, clusterIP, endpoints, affinitySeconds } = servicePort
  invariant(isUserspaceServicePort(servicePort), `${id.text} has no version that userspace mode can compare`)
  const ready = selectEndpoints(endpoints, (endpoint) => endpoint.ready)
  const isOpened = settings.process?.isServed === true && id.protocol !== 'SCTP'
  return {
    id,
    clusterIP,
    affinitySeconds,
    pools: { cluster: ready, local: NO_ENDPOINTS },
    reachable: ready,
    localEndpoints: selectEndpoints(endpoints, (endpoint) => endpoint.local),
    endpoints,
    endpointCount: endpoints.length,
    frontends: isOpened ? frontendsOf(servicePort) : [],
    proxied: { ...servicePort.proxied, isOpened, ignores: ignoredBy(servicePort) },
  }
}

function frontendsOf(servicePort: ServicePort): readonly Frontend[] {
  const { clusterIP, port, nodePort, externalIPs, loadBalancerIPs } = servicePort
  const common = { usesLocalPolicy: false, clauses: PROXY_CLAUSES }
  const external = { ...common, preservesClientIP: false }
  return [
    { kind: 'clusterIP', address: clusterIP, port, ...common },
    ...externalIPs.map((address): Frontend => ({ kind: 'externalIP', address, port, ...external })),
    ...loadBalancerIPs.map((address): Frontend => ({ kind: 'loadBalancer', address, port, ...external })),
    ...(nodePort === 0 ? [] : [{ kind: 'nodePort', port: nodePort, ...external } as const]),
  ]
}

function ignoredBy({
  internalPolicyLocal,
  externalPolicyLocal,
  sourceRanges,
}: ServicePort): readonly IgnoredServiceSetting[] {
  return [
    ...(internalPolicyLocal || externalPolicyLocal ? ['policies' as const] : []),
    ...(sourceRanges.length > 0 ? ['sourceRanges' as const] : []),
  ]
}

/** Returns the additional part of a plan that exists in userspace mode. Returns undefined for a plan of another mode. */
export function userspaceProxyPlanOf(service: ServicePlan | undefined): UserspaceProxyPlan | undefined {
  return service !== undefined && isProxiedPlan(service) ? service.proxied : undefined
}

function isProxiedPlan(service: ServicePlan): service is UserspaceServicePlan {
  return 'proxied' in service
}
