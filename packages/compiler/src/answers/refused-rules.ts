import type { Answer } from './answer.js'
import { onNode, type PacketFacts, type Refused, standingText } from './packet-facts.js'
import { ANYWHERE, serviceCommand } from './remedies.js'

/** That kube-proxy cannot load any of its rules. */
export function refusedRulesAnswer({ wanted }: PacketFacts): Answer | undefined {
  const refused = wanted?.refused
  if (wanted === undefined || refused === undefined) return undefined
  const { object, reason, rule } = refused
  return {
    code: 'refusedRules',
    happens: onNode(
      wanted.plan,
      `no Service is updated any more: kube-proxy ${wanted.version} cannot load any of its rules, because of ${object}`,
    ),
    why: reason,
    todo: changeText(refused),
    object,
    rule,
    ruleIs: standingText(`nftables ${wanted.plan.family === 'IPv6' ? 'ip6' : 'ip'} kube-proxy`, 'which nft refuses'),
  }
}

function changeText({ object, service, fixedIn }: Refused): string {
  const update = fixedIn === undefined ? '' : `; kube-proxy ${fixedIn} and newer can load them as they are`
  if (service === undefined) {
    return `kubectl -n kube-system edit configmap kube-proxy (${ANYWHERE}, if kubeadm made the cluster; for all nodes): set another detectLocalMode, such as ClusterCIDR with the clusterCIDR of the pods; then kubectl -n kube-system rollout restart daemonset kube-proxy${update}`
  }
  const shorter = 'with a shorter name of its own or of its port'
  const change = serviceCommand(
    service,
    (namespace, name) =>
      `kubectl -n ${namespace} get svc ${name} -o yaml > svc.yaml && kubectl -n ${namespace} delete svc ${name} (${ANYWHERE}; this Service is gone until you make it anew, all others are updated again); make it anew from svc.yaml ${shorter}`,
    `make ${object} anew ${shorter}`,
  )
  return change + update
}
