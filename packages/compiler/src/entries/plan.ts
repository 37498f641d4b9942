import type { KubeProxyConfiguration, Node, Packet } from '@kube-rules/types'
import { checkIterable, checkObject, checkString } from '../arguments/check-argument.js'
import { checkPacket } from '../arguments/check-packet.js'
import { checkPlan } from '../arguments/check-result.js'
import { findNodeVersion as findVersion, type NodeVersion } from '../model/node/node-version.js'
import { type Decision, decide as decidePacket } from '../plan/decide.js'
import type { Plan } from '../plan/plan.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { findStaleConnections as findConnections } from '../plan/stale-connections.js'

export { parseVersion } from '../commands/modes.js'
export type { Endpoint } from '../model/endpoints/endpoint.js'
export type { LocalTrafficDetection } from '../model/node/local-traffic-detection.js'
export type { NodeFacts } from '../model/node/node-facts.js'
export type { NodeVersion } from '../model/node/node-version.js'
export type { HealthCheckNodePort } from '../model/services/health-checks.js'
export type { ServicePortId } from '../model/services/service-port.js'
export type { Decision, FrontendDecision } from '../plan/decide.js'
export type { Clause, ClauseList, Frontend, MasqueradePolicy, Plan, ServicePlan, TrafficSource } from '../plan/plan.js'
export type { StaleConnection } from '../plan/stale-connection.js'
export type { HostRequirements } from '../targets/mode-lowering.js'

/**
 * Decides the handling of a packet according to a plan, for a client without session affinity. This is the reference for
 * the rules of every mode. Takes time proportional to the size of the plan.
 *
 * @throws DiagnosticsError (`invalidArgument`) unless both are a plan and a packet.
 */
export function decide(plan: Plan, packet: Packet): Decision {
  checkPlan('plan', plan)
  checkPacket(packet)
  return decidePacket(plan, packet)
}

/**
 * Returns the UDP connections that are stale after one plan replaces another one of the same family, sorted. Undefined
 * represents a plan without Services; as `before` it means that kube-proxy starts.
 *
 * Mirrors `detectStaleConntrackEntries`, `DeletedUDPClusterIPs` and `CleanStaleEntries` of kube-proxy v1.30.
 *
 * @throws DiagnosticsError (`invalidArgument`) for anything but plans.
 */
export function findStaleConnections(before: Plan | undefined, after: Plan | undefined): readonly StaleConnection[] {
  if (before !== undefined) checkPlan('before', before)
  if (after !== undefined) checkPlan('after', after)
  return findConnections(before, after)
}

/**
 * Finds the version that a Node reports: `kubeProxyVersion` or, if it is empty, as from Kubernetes 1.33 on,
 * `kubeletVersion`. The default name is `hostnameOverride`, else the name of the only Node. Undefined if the Node does
 * not exist or reports no version. `mode`, by default the mode of the configuration, determines the supported versions.
 *
 * @throws DiagnosticsError (`invalidArgument`) for arguments of other types.
 */
export function findNodeVersion(
  nodes: Iterable<Node>,
  nodeName: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
  mode?: string | undefined,
): NodeVersion | undefined {
  const listed = checkIterable('nodes', nodes, 'a list of Nodes')
  if (nodeName !== undefined) checkString('nodeName', nodeName, 'the name of a Node')
  if (configuration !== undefined) checkObject('configuration', configuration, 'a KubeProxyConfiguration')
  if (mode !== undefined) checkString('mode', mode, 'the name of a mode')
  return findVersion(listed, nodeName, configuration, mode)
}
