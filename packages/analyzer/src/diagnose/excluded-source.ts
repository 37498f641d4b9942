import type { FrontendDecision } from '@kube-rules/compiler/internal/plan/decide'
import { familyOf } from '@kube-rules/types/internal/ip'
import { formatList } from '../explain/format-list.js'
import type { Diagnosis } from './diagnosis.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  findDecidingStep,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import {
  createClusterIpStep,
  createServicePatch,
  findClusterIp,
  formatServiceCommand,
  prependCondition,
} from './remedies.js'

/** Reports a packet that is dropped because no source range of the Service contains its source. */
export function diagnoseExcludedSource(
  facts: PacketDiagnosisContext,
  decision: FrontendDecision,
  { plan }: ExpectedHandling,
): Diagnosis | undefined {
  const { packet } = facts
  const rule = findDecidingStep(facts)
  const ranges = decision.frontend.allowedSources?.ranges.map(({ text }) => text) ?? []
  if (rule === undefined) return undefined
  const isOutside = packet.origin === 'outside'
  const { servicePort } = decision
  const object = formatService(servicePort)
  const clusterIp = isOutside ? undefined : findClusterIp(decision, plan)
  const own = `${packet.source}/${familyOf(packet.source) === 'IPv6' ? 128 : 32}`
  const client = packet.origin === 'node' ? ', the address of the node' : ', the address of the pod'
  return {
    code: 'excludedSource',
    summary: prefixWithNode(
      plan,
      `${formatPackets(packet)} are dropped: no source range of ${servicePort.text} contains ${packet.source}${isOutside ? '' : client}`,
    ),
    cause: `loadBalancerSourceRanges of ${object} are ${formatList(ranges)}${isOutside ? '; for clients that they exclude, this is normal' : ', and they also apply to clients inside the cluster'}`,
    steps: [
      ...(clusterIp === undefined ? [] : [createClusterIpStep(clusterIp)]),
      {
        text: prependCondition(
          isOutside
            ? `If ${packet.source} should have access`
            : clusterIp === undefined
              ? ''
              : `If clients need ${packet.destination}`,
          `Add ${own}, or the network of all such clients, to loadBalancerSourceRanges of ${object} with kubectl`,
        ),
        command: formatServiceCommand(
          servicePort,
          (namespace, name) =>
            `kubectl -n ${namespace} patch svc ${name} -p '${JSON.stringify({ spec: { loadBalancerSourceRanges: [...ranges, own] } })}'`,
        ),
        change: createServicePatch(servicePort, { loadBalancerSourceRanges: [...ranges, own] }),
        impact: 'the added clients are allowed on every node, and the load balancer may read the ranges too',
      },
    ],
    object,
    ...createDiagnosisRule(rule),
  }
}
