import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  formatRuleLocation,
  type InvalidRule,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { createUpdateStep, formatServiceCommand } from './remedies.js'

/** Reports that kube-proxy cannot load any of its rules. */
export function diagnoseInvalidRules({ expected }: PacketDiagnosisContext): Diagnosis | undefined {
  const rejected = expected?.loadFailure
  if (expected === undefined || rejected === undefined) return undefined
  const { object, reason, rule } = rejected
  return {
    code: 'invalidRules',
    summary: prefixWithNode(
      expected.plan,
      `no Service is updated: kube-proxy ${expected.version} cannot load any of its rules, because of ${object}`,
    ),
    cause: reason,
    steps: changeSteps(rejected),
    object,
    rule,
    ruleStatus: formatRuleLocation(
      `nftables ${expected.plan.family === 'IPv6' ? 'ip6' : 'ip'} kube-proxy`,
      'which nft rejects',
    ),
  }
}

function changeSteps({ object, service, fixedIn }: InvalidRule): readonly DiagnosisStep[] {
  const update = fixedIn === undefined ? [] : [createUpdateStep(fixedIn, 'For a permanent fix')]
  if (service === undefined) {
    return [
      {
        text: 'Set another detectLocalMode, such as ClusterCIDR with the clusterCIDR of the pods; with kubectl, in kubeadm clusters',
        command: 'kubectl -n kube-system edit configmap kube-proxy',
        impact: 'for all nodes',
      },
      {
        text: 'Restart kube-proxy on all nodes',
        command: 'kubectl -n kube-system rollout restart daemonset kube-proxy',
      },
      ...update,
    ]
  }
  return [
    {
      text: `Save ${object} to svc.yaml, and delete it with kubectl`,
      command: formatServiceCommand(
        service,
        (namespace, name) =>
          `kubectl -n ${namespace} get svc ${name} -o yaml > svc.yaml && kubectl -n ${namespace} delete svc ${name}`,
      ),
      impact:
        'the Service does not exist until you create it again; kube-proxy resumes the updates of all other Services',
    },
    { text: 'Create it again from svc.yaml, with a shorter name for the Service or its port' },
    ...update,
  ]
}
