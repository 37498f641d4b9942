import { cidrContains, type IpFamily, isLoopback } from '@kube-rules/types'
import type { Settings } from '../model/configuration/settings.js'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'
import { type CategorizedEndpoints, categorizeEndpoints, isExternallyAccessible } from './categorize-endpoints.js'
import { kernelSettings } from './kernel-settings.js'
import type { AllowedSources, Frontend, NodePortBinding, PlanHeader, ServicePlan } from './plan.js'
import { externalRoute, internalMasquerade, internalRoute, type RouteFacts } from './routes.js'
import { selectEndpoints } from './select-endpoints.js'

/** The inputs of the plan of a service port, apart from the service port. */
export interface PlanContext {
  readonly node: NodeFacts
  readonly settings: Settings
}

/** Returns the shared part of a plan, without service ports. */
export function planFrame(family: IpFamily, context: PlanContext, endpointCount: number): PlanHeader {
  const { node, settings } = context
  return {
    family,
    node,
    nodePorts: nodePortService(context),
    localhostNodePorts: settings.localhostNodePorts,
    refusedLocalhostNodePorts: settings.refusedLocalhostNodePorts,
    connectionsTaken: settings.features.connectionsTaken,
    clusterIPMasquerade: internalMasquerade(masqueradeFacts(context)),
    serviceCIDRs: settings.serviceNetworks,
    endpointCount,
    kernel: kernelSettings(settings),
  }
}

/** Returns the node-port addresses. Mirrors the loop over `nodeAddresses` in `syncProxyRules` of kube-proxy v1.30. */
function nodePortService({ node, settings }: PlanContext): NodePortBinding {
  const { all, addresses } = node.nodePorts
  return { all, addresses: addresses.filter((address) => settings.localhostNodePorts || !isLoopback(address)) }
}

/** Plans one service port. The result depends only on the arguments, so equal arguments may share one plan. */
export function planService(servicePort: ServicePort, context: PlanContext): ServicePlan {
  const { endpoints, healthCheckNodePort } = servicePort
  const categorized = categorizeEndpoints(servicePort, context.node, context.settings.features)
  const internal = clusterIPFrontend(servicePort, categorized, context)
  return {
    id: servicePort.id,
    clusterIP: servicePort.clusterIP,
    affinitySeconds: servicePort.affinitySeconds,
    pools: { cluster: categorized.cluster, local: categorized.local },
    reachable: categorized.reachable,
    localEndpoints: selectEndpoints(endpoints, (endpoint) => endpoint.local),
    endpoints,
    endpointCount: endpoints.length,
    frontends: isExternallyAccessible(servicePort)
      ? [internal, ...externalFrontends(servicePort, categorized, context)]
      : [internal],
    healthCheckNodePort: healthCheckNodePort === 0 ? undefined : healthCheckNodePort,
  }
}

function clusterIPFrontend(
  servicePort: ServicePort,
  categorized: CategorizedEndpoints,
  context: PlanContext,
): Frontend {
  const usesLocalPolicy = servicePort.internalPolicyLocal
  const route = internalRoute(routeFacts(usesLocalPolicy, categorized, context))
  return { kind: 'clusterIP', address: servicePort.clusterIP, port: servicePort.port, usesLocalPolicy, route }
}

function externalFrontends(
  servicePort: ServicePort,
  categorized: CategorizedEndpoints,
  context: PlanContext,
): readonly Frontend[] {
  const { port, nodePort, externalIPs, loadBalancerIPs, externalPolicyLocal: usesLocalPolicy } = servicePort
  const allowedSources = allowedSourcesOf(servicePort, context.node)
  const route = externalRoute(routeFacts(usesLocalPolicy, categorized, context))
  const common = { usesLocalPolicy, preservesClientIP: usesLocalPolicy, route }
  return [
    ...externalIPs.map((address): Frontend => ({ kind: 'externalIP', address, port, ...common })),
    ...loadBalancerIPs.map((address): Frontend => ({ kind: 'loadBalancer', address, port, allowedSources, ...common })),
    ...(nodePort === 0 ? [] : [{ kind: 'nodePort', port: nodePort, ...common } as const]),
  ]
}

function routeFacts(
  usesLocalPolicy: boolean,
  { hasEndpoints, local }: CategorizedEndpoints,
  context: PlanContext,
): RouteFacts {
  const { detectsLocalTraffic, masqueradeAll } = masqueradeFacts(context)
  return { usesLocalPolicy, hasEndpoints, hasLocalEndpoints: local.length > 0, detectsLocalTraffic, masqueradeAll }
}

function masqueradeFacts({ node, settings }: PlanContext): Pick<RouteFacts, 'detectsLocalTraffic' | 'masqueradeAll'> {
  return { detectsLocalTraffic: node.localTrafficDetection !== undefined, masqueradeAll: settings.masqueradeAll }
}

/**
 * Returns the source ranges, which apply only to load-balancer IPs; node ports and external IPs are open to every
 * client.
 */
function allowedSourcesOf({ sourceRanges: ranges }: ServicePort, node: NodeFacts): AllowedSources | undefined {
  if (ranges.length === 0) return undefined
  return { ranges, includesThisNode: ranges.some((range) => cidrContains(range, node.ip)) }
}
