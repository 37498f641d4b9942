import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { FrontendDecision } from '@kube-rules/compiler/internal/plan/decide'
import type { FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { DiagnosisStep, StepChange } from './diagnosis.js'
import { formatService } from './packet-diagnosis-context.js'

/** Returns `as root on node node-1`. A dump alone does not name the node. */
export function formatRootHint(plan: Plan | undefined): string {
  const name = plan?.node.name ?? ''
  return name === '' ? 'as root on the node' : `as root on node ${name}`
}

/**
 * Returns a step that restarts kube-proxy on the node, by the label that kubeadm gives to its pods. A new process
 * writes all rules and jumps again. In ipvs mode, it also restores the weights of real servers.
 */
export function createRestartStep({ node: { name } }: Plan): DiagnosisStep {
  const impact =
    'kube-proxy writes all its rules again, and existing connections continue; to check, repeat this kube-rules command with a new dump: it finds no differences'
  const change = { kind: 'rewriteRules' } as const
  if (!isShellSafeName(name)) return { text: 'Restart kube-proxy on this node', change, impact }
  return {
    text: `Restart kube-proxy on node ${name}. If it is a system service, restart that service on the node; if its pods have the label k8s-app=kube-proxy, run`,
    command: `kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=${name}`,
    change,
    impact,
  }
}

/**
 * Returns a step that applies the script of `kube-rules verify`. It contains no command, because the options depend on
 * the cluster of the user.
 */
export function createRepairScriptStep(plan: Plan, condition = ''): DiagnosisStep {
  return {
    text: prependCondition(
      condition,
      `Take a new dump (kube-rules collect prints the command for the node), run kube-rules verify with the same objects, the new dump and the option --script, and run the printed commands ${formatRootHint(plan)}`,
    ),
    change: { kind: 'rewriteRules' },
    impact: 'the commands change only the rules that differ; they are not valid for other nodes',
  }
}

/** A step that checks the node with `kube-rules verify`. */
export const VERIFY_STEP: DiagnosisStep = {
  text: 'If that does not help, run kube-rules verify with the same objects and --dump to list the missing rules',
}

/** Returns the restart step, and the script step for the case that the restart does not help. */
export function createRestartOrScriptSteps(plan: Plan): readonly DiagnosisStep[] {
  return [createRestartStep(plan), createRepairScriptStep(plan, 'If that does not help')]
}

/** Adds a condition before an instruction: `If that does not help, restart kube-proxy`. */
export function prependCondition(condition: string, text: string): string {
  return condition === '' ? text : `${condition}, ${text.charAt(0).toLowerCase()}${text.slice(1)}`
}

/** The field of a Service that determines whether a kind of frontend uses all endpoints or only local endpoints. */
export type TrafficPolicyField = 'externalTrafficPolicy' | 'internalTrafficPolicy'

export function trafficPolicyFieldOf(kind: FrontendKind): TrafficPolicyField {
  return kind === 'clusterIP' ? 'internalTrafficPolicy' : 'externalTrafficPolicy'
}

const IMPACTS: Readonly<Record<TrafficPolicyField, string>> = {
  externalTrafficPolicy: 'for all clients: pods no longer see the client address, and packets may take one more hop',
  internalTrafficPolicy: 'for all clients: packets may go to pods on other nodes',
}

/** Returns a step that sets a traffic policy of a Service to Cluster. */
export function createClusterPolicyStep(
  field: TrafficPolicyField,
  service: ServicePortId,
  condition = '',
  healthCheckNodePort?: number,
): DiagnosisStep {
  const unchecked =
    healthCheckNodePort === undefined
      ? ''
      : `, and health checks on port ${healthCheckNodePort} of the nodes fail: a load balancer that uses this port must check another one first`
  return {
    text: prependCondition(condition, `Set ${field} of ${formatService(service)} to Cluster`),
    command: formatServiceCommand(
      service,
      (namespace, name) => `kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"${field}":"Cluster"}}'`,
    ),
    change: createServicePatch(service, { [field]: 'Cluster' }),
    impact: `${IMPACTS[field]}${unchecked}`,
  }
}

/** Returns the cluster IP and port that reach all endpoints; undefined if no cluster IP has policy Cluster. */
export function findClusterIp({ servicePort }: FrontendDecision, { services }: Plan): ClusterIp | undefined {
  const frontends = services.find(({ id }) => id === servicePort)?.frontends ?? []
  const frontend = frontends.find(({ kind, usesLocalPolicy }) => kind === 'clusterIP' && !usesLocalPolicy)
  return frontend?.address === undefined ? undefined : { address: frontend.address, port: frontend.port }
}

/** Returns the change that patches the `spec` of a Service. */
export function createServicePatch(
  { namespace, name }: Pick<ServicePortId, 'namespace' | 'name'>,
  spec: Readonly<Record<string, unknown>>,
): StepChange {
  return { kind: 'patchService', namespace, name, spec }
}

/** Returns a step that replaces the address with the cluster IP, for clients inside the cluster. */
export function createClusterIpStep({ address, port }: ClusterIp): DiagnosisStep {
  return {
    text: `Use the cluster IP ${joinHostPort(address, port)} from nodes and pods instead; no change to the cluster is needed`,
    change: { kind: 'useAddress', address, port },
  }
}

/** A cluster IP with a port. */
export interface ClusterIp {
  readonly address: string
  readonly port: number
}

/** Returns a step that updates kube-proxy to the first version without the problem. */
export function createUpdateStep(version: string, condition = ''): DiagnosisStep {
  return {
    text: prependCondition(condition, `Update kube-proxy to ${version} or newer`),
    change: { kind: 'changeProxy', version },
    impact: 'kube-proxy must not be newer than the API server: update the control plane first',
  }
}

/** Returns a command about a Service. Undefined if the names of the Service would need quotes. */
export function formatServiceCommand(
  { namespace, name }: Pick<ServicePortId, 'namespace' | 'name'>,
  command: (namespace: string, name: string) => string,
): string | undefined {
  return isShellSafeName(namespace) && isShellSafeName(name) ? command(namespace, name) : undefined
}

/** Reports whether a name needs no quotes in a shell command. */
export function isShellSafeName(text: string | undefined): text is string {
  return text !== undefined && /^[a-z0-9][a-z0-9.-]*$/.test(text)
}
