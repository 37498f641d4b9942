import type { Plan } from '../plan/plan.js'
import type { ServicePortId } from '../services/service-port.js'

/** What whoever knows kubectl alone does with a node: restarts kube-proxy, where it runs as a pod, by the command. */
export function restartText({ node: { name } }: Plan): string {
  const restart = 'restart kube-proxy on this node'
  if (!isName(name)) return restart
  return `${restart} (kubectl -n kube-system delete pod -l k8s-app=kube-proxy --field-selector spec.nodeName=${name})`
}

/** Behind another remedy: the script of `kube-rules verify`. */
export const SCRIPT = 'or run there as root what --script prints'

/** The command that changes a traffic policy of a Service to Cluster. */
export function clusterPolicyText(field: string, { namespace, name }: ServicePortId): string {
  const use = 'use policy Cluster'
  if (!isName(namespace) || !isName(name)) return use
  return `${use} (kubectl -n ${namespace} patch svc ${name} -p '{"spec":{"${field}":"Cluster"}}')`
}

/** What may stand in a command as it is. */
function isName(text: string | undefined): text is string {
  return text !== undefined && /^[a-z0-9][a-z0-9.-]*$/.test(text)
}
