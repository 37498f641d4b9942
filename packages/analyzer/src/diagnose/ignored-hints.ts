import { ZONE_LABEL } from '@kube-rules/compiler/internal/model/node/parsed-node'
import type { ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { findIgnoredZoneHints, type IgnoredHints } from '@kube-rules/compiler/internal/plan/topology-filter'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import {
  createDiagnosisRule,
  findEndpointStep,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'
import { isShellSafeName } from './remedies.js'

/**
 * Diagnoses zone hints that have no effect, so that packets reach every zone. Reports the first reason why the hints
 * are ignored.
 */
export function diagnoseIgnoredHints({ paths, expected }: PacketDiagnosisContext): Diagnosis | undefined {
  if (expected === undefined || expected.decision.kind !== 'endpoints') return undefined
  const { servicePort, candidates } = expected.decision
  const { node, kernel } = expected.plan
  const service = expected.plan.services.find(({ id }) => id === servicePort)
  if (service === undefined || !service.endpoints.some(({ hints }) => hints.zones.length > 0)) return undefined
  const ignored = findIgnoredZoneHints(service.endpoints, node, kernel.features)
  const elsewhere = candidates.find(({ endpoint }) => !endpoint.hints.zones.includes(node.zone))
  if (ignored === undefined || elsewhere === undefined) return undefined
  const target = ignored.kind === 'endpointWithoutHint' ? ignored.endpoint : elsewhere.endpoint
  const path = paths.find(({ outcome }) => outcome.kind === 'delivered' && outcome.address === target.ip) ?? paths[0]
  const step = path && findEndpointStep(path)
  if (step === undefined) return undefined
  const { why: cause, steps } = TEXTS[ignored.kind](ignored, service, node)
  return {
    code: 'ignoredHints',
    summary: prefixWithNode(
      expected.plan,
      `packets to ${servicePort.text} go to every zone: topology hints are ignored on this node`,
    ),
    cause,
    steps,
    object: formatService(servicePort),
    ...createDiagnosisRule(step, 'sends to an endpoint without a hint for this zone'),
  }
}

type TextsOf = (
  ignored: IgnoredHints,
  service: ServicePlan,
  node: { readonly name: string; readonly zone: string },
) => { readonly why: string; readonly steps: readonly DiagnosisStep[] }

const TEXTS: Readonly<Record<IgnoredHints['kind'], TextsOf>> = {
  nodeUnknown: (_, { id }, { name }) => ({
    why: `${name === '' ? 'the node' : `Node ${name}`} has no label ${ZONE_LABEL}, so no hint of ${formatService(id)} matches it`,
    steps: [
      {
        text: `Use kubectl to label the node with its zone; replace ZONE with the name of the zone`,
        command: isShellSafeName(name) ? `kubectl label node ${name} ${ZONE_LABEL}=ZONE` : undefined,
        impact: 'hints apply only if every node has the label',
      },
    ],
  }),
  endpointWithoutHint: (ignored, { id }) => {
    const endpoint = ignored.kind === 'endpointWithoutHint' ? ignored.endpoint : undefined
    const first = endpoint === undefined || endpoint.nodeName === '' ? '' : `, ${endpoint.nodeName} first`
    return {
      why: `endpoint ${endpoint?.text ?? ''} of ${formatService(id)} is ready and has no hint for any zone, so kube-proxy ignores all hints`,
      steps: [
        {
          text: `Check with kubectl that every node has a zone${first}`,
          command: `kubectl get nodes -L ${ZONE_LABEL}`,
        },
        { text: 'If every node has one, start more pods: there are too few endpoints for the zones' },
      ],
    }
  },
  noneForThisNode: (_, { id }, { zone }) => ({
    why: `no ready endpoint of ${formatService(id)} has a hint for ${zone}, the zone of this node, so kube-proxy ignores all hints`,
    steps: [
      {
        text: 'If packets may cross zones, do nothing: kube-proxy sends them to other zones, because no endpoint in this zone can receive them',
      },
      { text: `If packets must stay in their zone, run a pod of the Service in ${zone}` },
    ],
  }),
}
