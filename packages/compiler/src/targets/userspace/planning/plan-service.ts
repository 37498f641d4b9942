import { invariant } from '../../../internal/invariant.js'
import type { ServicePort } from '../../../model/services/service-port.js'
import type { Frontend } from '../../../plan/plan.js'
import type { PlanContext } from '../../../plan/plan-context.js'
import { TO_PROXY } from '../../../plan/routes.js'
import { NO_ENDPOINTS, selectEndpoints } from '../../../plan/select-endpoints.js'
import { type IgnoredByUserspaceProxy, isProxiedPort, type UserspaceServicePlan } from './proxied.js'

/**
 * The plan of a service port whose connections a process of the node takes: one that knows ready endpoints and nothing of
 * where they are. Without frontends where the process does not open it: over SCTP, and in the family (`ProcessSettings.isServed`) that it
 * does not know. Mirrors `mergeService` and `openPortal` of the userspace proxier of kube-proxy v1.20.
 */
export function planProxied(servicePort: ServicePort, { settings }: PlanContext): UserspaceServicePlan {
  const { id, clusterIP, endpoints, affinitySeconds } = servicePort
  invariant(isProxiedPort(servicePort), `${id.text} has nothing by which mode userspace tells whether it has changed`)
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
  const common = { usesLocalPolicy: false, route: TO_PROXY }
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
}: ServicePort): readonly IgnoredByUserspaceProxy[] {
  return [
    ...(internalPolicyLocal || externalPolicyLocal ? ['policies' as const] : []),
    ...(sourceRanges.length > 0 ? ['sourceRanges' as const] : []),
  ]
}
