import type { KubeProxyConfiguration, Node, Packet } from '@kube-rules/types'
import { checkIterable, checkObject, checkString } from '../arguments/check-argument.js'
import { checkPacket } from '../arguments/check-packet.js'
import { checkPlan } from '../arguments/check-result.js'
import { diffPlans as diff, type PlanChange } from '../diff/diff-plans.js'
import { findNodeVersion as findVersion, type NodeVersion } from '../model/node/node-version.js'
import { type Decision, decide as decidePacket } from '../plan/decide.js'
import { listDestinations as list, type PlanDestination } from '../plan/list-destinations.js'
import type { Plan } from '../plan/plan.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { findStaleConnections as findConnections } from '../plan/stale-connections.js'

export { parseVersion } from '../commands/modes.js'
export type { PlanChange } from '../diff/diff-plans.js'
export type { Endpoint } from '../model/endpoints/endpoint.js'
export type { LocalTrafficDetection } from '../model/node/local-traffic-detection.js'
export type { NodeFacts } from '../model/node/node-facts.js'
export type { NodeVersion } from '../model/node/node-version.js'
export type { HealthCheckNodePort } from '../model/services/health-checks.js'
export type { ServicePortId } from '../model/services/service-port.js'
export type { Decision, FrontendDecision } from '../plan/decide.js'
export type { PlanDestination } from '../plan/list-destinations.js'
export type { ServicePortChange } from '../plan/pair-service-ports.js'
export type { Clause, ClauseList, Frontend, MasqueradePolicy, Plan, ServicePlan, TrafficSource } from '../plan/plan.js'
export type { StaleConnection } from '../plan/stale-connection.js'
export type { HostRequirements } from '../targets/mode-lowering.js'

/**
 * Decides how a plan handles a packet, for a client without session affinity. The decision is the reference for the
 * rules of every mode. The time is proportional to the size of the plan.
 *
 * @throws DiagnosticsError (`invalidArgument`) unless the arguments are a plan and a packet.
 */
export function decide(plan: Plan, packet: Packet): Decision {
  checkPlan('plan', plan)
  checkPacket(packet)
  return decidePacket(plan, packet)
}

/**
 * Returns the UDP connections that become stale if one plan replaces another plan of the same family. The connections
 * are sorted. Undefined represents a plan without Services; as `before`, it means that kube-proxy starts.
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
 * Finds the version that a Node reports: `kubeProxyVersion`, or `kubeletVersion` if `kubeProxyVersion` is empty, which
 * is the case since Kubernetes 1.33. The default node name is `hostnameOverride`, else the name of the only Node.
 * Returns undefined if the Node does not exist or reports no version. `mode` determines the supported versions. By
 * default, `mode` is the mode of the configuration.
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

/**
 * Returns the differences between two plans of the same family, such as the plans of a result and of the result that it
 * is based on. A program that writes its own rules only has to update these service ports. Unchanged
 * service ports cost little if the second result was compiled with `previous`. Undefined represents no plan.
 *
 * @throws DiagnosticsError (`invalidArgument`) for anything but plans.
 * @example
 * ```ts
 * const [{ plan }] = compile(input, { nodeName: 'node-1' }).families
 * diffPlans(undefined, plan).servicePorts.map(({ after }) => after.id.text) // => ['default/web:http']
 * ```
 */
export function diffPlans(before: Plan | undefined, after: Plan | undefined): PlanChange {
  if (before !== undefined) checkPlan('before', before)
  if (after !== undefined) checkPlan('after', after)
  return diff(before, after)
}

/**
 * Returns the addresses and ports of a plan with the service ports that get their packets. If several frontends claim an
 * address and a port, only the frontend that `decide` selects is returned, so that every destination occurs once. Node
 * ports on loopback addresses are not included.
 *
 * @throws DiagnosticsError (`invalidArgument`) for anything but a plan.
 * @example
 * ```ts
 * const [{ plan }] = compile(input, { nodeName: 'node-1' }).families
 * listDestinations(plan).map(({ address, port }) => `${address}:${port}`) // => ['10.96.0.10:80']
 * ```
 */
export function listDestinations(plan: Plan): readonly PlanDestination[] {
  checkPlan('plan', plan)
  return list(plan)
}
