import type { IpFamily } from '@kube-rules/types'
import { cidrContains } from '@kube-rules/types/internal/cidr'
import { isLoopback } from '@kube-rules/types/internal/ip'
import type { NodeFacts } from '../model/node/node-facts.js'
import type { ServicePort } from '../model/services/service-port.js'
import type { CategorizedEndpoints } from './categorize-endpoints.js'
import { categorizeEndpoints, isExternallyAccessible } from './categorize-endpoints.js'
import {
  type ClauseInputs,
  createExternalClauses,
  createInternalClauses,
  internalMasqueradePolicyOf,
} from './clauses.js'
import { defaultClauseOf } from './frontend.js'
import { kernelSettingsOf } from './kernel-settings.js'
import { truncateAtNodePort } from './legacy-service-plans.js'
import type { AllowedSources, Frontend, FrontendKind, NodePortBinding, PlanHeader, ServicePlan } from './plan.js'
import type { PlanContext } from './plan-context.js'
import { selectEndpoints } from './select-endpoints.js'

/** Returns the part of a plan that all service ports share, without the service ports. */
export function createPlanHeader(family: IpFamily, context: PlanContext, endpointCount: number): PlanHeader {
  const { node, settings } = context
  return {
    family,
    node,
    nodePorts: nodePortService(context),
    localhostNodePorts: settings.localhostNodePorts,
    rejectedLocalhostNodePorts: settings.rejectedLocalhostNodePorts,
    connectionsTaken: settings.features.connectionsTaken,
    clusterIPMasquerade: internalMasqueradePolicyOf(masqueradeFacts(context)),
    serviceCIDRs: settings.serviceNetworks,
    endpointCount,
    kernel: kernelSettingsOf(settings),
  }
}

/**
 * Returns the addresses that serve node ports. Mirrors the loop over `nodeAddresses` in `syncProxyRules` of kube-proxy
 * v1.30.
 */
function nodePortService({ node, settings }: PlanContext): NodePortBinding {
  const { all, addresses } = node.nodePorts
  return { all, addresses: addresses.filter((address) => settings.localhostNodePorts || !isLoopback(address)) }
}

/** Plans one service port. The result depends only on the arguments, so equal arguments may share one plan. */
export function planService(servicePort: ServicePort, context: PlanContext): ServicePlan {
  const { endpoints, healthCheckNodePort } = servicePort
  const categorized = categorizeEndpoints(servicePort, context.node, context.settings.features)
  const internal = clusterIPFrontend(servicePort, categorized, context)
  const plan: ServicePlan = {
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
    ...localClausesOf(servicePort, categorized, context),
    healthCheckNodePort: healthCheckNodePort === 0 ? undefined : healthCheckNodePort,
  }
  return truncateAtNodePort(plan, context)
}

function clusterIPFrontend(
  servicePort: ServicePort,
  categorized: CategorizedEndpoints,
  context: PlanContext,
): Frontend {
  const { internalPolicyLocal, externalPolicyLocal } = servicePort
  const { internalPolicyOfAllTraffic, internalPolicyBesideExternal } = context.settings.features
  const usesLocalPolicy =
    internalPolicyLocal && (!internalPolicyOfAllTraffic || !externalPolicyLocal || internalPolicyBesideExternal)
  // If the internal policy applies to all traffic and the external policy is not Local, the endpoints of the service
  // port are already limited to this node, and `local` is empty, unless it may contain terminating endpoints.
  const choosesLocal =
    usesLocalPolicy && (!internalPolicyOfAllTraffic || externalPolicyLocal || categorized.local.length > 0)
  const clauses = createInternalClauses(clauseInputs(choosesLocal, categorized, context))
  return { kind: 'clusterIP', address: servicePort.clusterIP, port: servicePort.port, usesLocalPolicy, clauses }
}

function externalFrontends(
  servicePort: ServicePort,
  categorized: CategorizedEndpoints,
  context: PlanContext,
): readonly Frontend[] {
  const { port, nodePort, externalIPs, loadBalancerIPs, externalPolicyLocal: usesLocalPolicy } = servicePort
  const allowedSources = allowedSourcesOf(servicePort, context.node)
  const { xlbChains, externalIPsFollowPolicy } = context.settings.features
  const common = externalPart('loadBalancer', usesLocalPolicy, categorized, context)
  const [ofExternalIPs, ofNodePort] =
    xlbChains || !externalIPsFollowPolicy
      ? [
          externalPart('externalIP', usesLocalPolicy, categorized, context),
          externalPart('nodePort', usesLocalPolicy, categorized, context),
        ]
      : [common, common]
  return [
    ...externalIPs.map((address): Frontend => ({ kind: 'externalIP', address, port, ...ofExternalIPs })),
    ...loadBalancerIPs.map((address): Frontend => ({ kind: 'loadBalancer', address, port, allowedSources, ...common })),
    ...(nodePort === 0 ? [] : [{ kind: 'nodePort', port: nodePort, ...ofNodePort } as const]),
  ]
}

/** Returns the policy and the clauses of external frontends. Up to 1.23, both depend on the kind of frontend. */
function externalPart(
  kind: FrontendKind,
  isLocal: boolean,
  categorized: CategorizedEndpoints,
  context: PlanContext,
): Pick<Frontend, 'usesLocalPolicy' | 'preservesClientIP' | 'clauses'> {
  const { features } = context.settings
  const usesLocalPolicy = isLocal && (kind !== 'externalIP' || features.externalIPsFollowPolicy)
  const clauses = createExternalClauses({
    ...clauseInputs(usesLocalPolicy, categorized, context),
    detectsPods: kind === 'externalIP' && features.podsKnownAtExternalIPs,
    keepsOwnPackets: features.ownPacketsKeptLocal,
    masqueradesLoopback: kind === 'nodePort',
  })
  return {
    usesLocalPolicy,
    preservesClientIP: usesLocalPolicy,
    // Up to 1.23, only the local pool may contain terminating endpoints. Packets to an empty cluster pool continue.
    clauses:
      categorized.hasEndpoints && categorized.cluster.length === 0
        ? clauses.map((clause) => ({ ...clause, action: defaultClauseOf({ clauses }).action }))
        : clauses,
  }
}

function localClausesOf(
  { externalPolicyLocal }: ServicePort,
  categorized: CategorizedEndpoints,
  context: PlanContext,
): Pick<ServicePlan, 'localClauses'> {
  if (!externalPolicyLocal || !context.settings.features.xlbChains) return NO_LOCAL_CLAUSES
  return { localClauses: externalPart('loadBalancer', true, categorized, context).clauses }
}

const NO_LOCAL_CLAUSES: Pick<ServicePlan, 'localClauses'> = {}

function clauseInputs(
  usesLocalPolicy: boolean,
  { hasEndpoints, local }: CategorizedEndpoints,
  context: PlanContext,
): ClauseInputs {
  const { detectsLocalTraffic, masqueradeAll } = masqueradeFacts(context)
  return { usesLocalPolicy, hasEndpoints, hasLocalEndpoints: local.length > 0, detectsLocalTraffic, masqueradeAll }
}

function masqueradeFacts({ node, settings }: PlanContext): Pick<ClauseInputs, 'detectsLocalTraffic' | 'masqueradeAll'> {
  return { detectsLocalTraffic: node.localTrafficDetection !== undefined, masqueradeAll: settings.masqueradeAll }
}

/**
 * Returns the source ranges of a service port; undefined if there are none. They apply only to load-balancer IPs; node
 * ports and external IPs are open to every client.
 */
function allowedSourcesOf({ sourceRanges: ranges }: ServicePort, node: NodeFacts): AllowedSources | undefined {
  if (ranges.length === 0) return undefined
  return { ranges, includesThisNode: ranges.some((range) => cidrContains(range, node.ip)) }
}
