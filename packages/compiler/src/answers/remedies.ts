import { joinHostPort } from '@kube-rules/types'
import type { AtFrontend } from '../plan/decide.js'
import type { FrontendKind, Plan } from '../plan/plan.js'
import type { ServicePortId } from '../services/service-port.js'

// Commands stand as they are typed; where, and what they cost, is in brackets behind them, so that a line typed as a whole fails.

/** Where whoever has kubectl types a command. */
export const ANYWHERE = 'anywhere with kubectl'

/** `as root on node node-1`. */
export function asRootText({ node: { name } }: Plan): string {
  return name === '' ? 'as root on the node' : `as root on node ${name}`
}

/**
 * Restarts kube-proxy on the node, by the name that kubeadm gives its pods. A process that starts writes everything anew: it makes
 * sure of its jumps, and in mode ipvs gives real servers their weight back.
 */
export function restartText({ node: { name } }: Plan): string {
  if (!isName(name)) return 'restart kube-proxy on this node (it writes all its rules anew; connections go on)'
  return `kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=${name} (${ANYWHERE}; restarts kube-proxy there, which writes all its rules anew; connections go on; if it finds no pod, restart kube-proxy as this cluster does)`
}

/** The script of `kube-rules verify`, which alone can say this: the command is the one that was typed. */
export function scriptText(plan: Plan): string {
  return `the same command with --script, and with a dump of now, prints commands that set right what differs and touch nothing else; run them ${asRootText(plan)} and nowhere else`
}

/** A restart, `more` about it, and where it is not enough the script. */
export function restartOrScriptText(plan: Plan, more = ''): string {
  return `${restartText(plan)}${more === '' ? '' : `; ${more}`}; only if that does not help: ${scriptText(plan)}`
}

/** The field of a Service that says whether packets to a frontend go to all endpoints, or to those of the node. */
export type PolicyField = 'externalTrafficPolicy' | 'internalTrafficPolicy'

export function policyFieldOf(kind: FrontendKind): PolicyField {
  return kind === 'clusterIP' ? 'internalTrafficPolicy' : 'externalTrafficPolicy'
}

const PRICES: Readonly<Record<PolicyField, string>> = {
  externalTrafficPolicy: "for all clients: pods no longer see the client's address, and packets may take one more hop",
  internalTrafficPolicy: 'for all clients: packets may then go to pods of other nodes',
}

/** The command that changes a traffic policy of a Service to Cluster, and its price. */
export function clusterPolicyText(field: PolicyField, service: ServicePortId): string {
  return serviceCommand(
    service,
    (namespace, name) =>
      `kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"${field}":"Cluster"}}' (${ANYWHERE}; ${PRICES[field]})`,
    `set ${field} to Cluster (${PRICES[field]})`,
  )
}

/** `the cluster IP 10.96.0.1:80`, of which all endpoints are reached; undefined where there is none. */
export function clusterIpText({ servicePort }: AtFrontend, { services }: Plan): string | undefined {
  const frontends = services.find(({ id }) => id === servicePort)?.frontends ?? []
  const found = frontends.find(({ kind, policyLocal }) => kind === 'clusterIP' && !policyLocal)
  return found?.address === undefined ? undefined : `the cluster IP ${joinHostPort(found.address, found.port)}`
}

/** Words with a command about a Service; `otherwise` where its names would not stand in a command as they are. */
export function serviceCommand(
  { namespace, name }: Pick<ServicePortId, 'namespace' | 'name'>,
  command: (namespace: string, name: string) => string,
  otherwise: string,
): string {
  return isName(namespace) && isName(name) ? command(namespace, name) : otherwise
}

/** What may stand in a command as it is. */
export function isName(text: string | undefined): text is string {
  return text !== undefined && /^[a-z0-9][a-z0-9.-]*$/.test(text)
}
