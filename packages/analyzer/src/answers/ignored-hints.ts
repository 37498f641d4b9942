import type { ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import { type IgnoredHints, ignoredHints } from '@kube-rules/compiler/internal/plan/topology-filter'
import type { Answer, DiagnosisStep } from './answer.js'
import { onNode, type PacketFacts, ruleOf, sendingStep, serviceText } from './packet-facts.js'
import { isName } from './remedies.js'

/** Diagnoses zone hints without effect, so that packets reach every zone. Reports the first decisive reason. */
export function ignoredHintsAnswer({ ways, wanted }: PacketFacts): Answer | undefined {
  if (wanted === undefined || wanted.decision.outcome !== 'endpoints') return undefined
  const { servicePort, candidates } = wanted.decision
  const { node } = wanted.plan
  const service = wanted.plan.services.find(({ id }) => id === servicePort)
  if (service === undefined || !service.endpoints.some(({ hints }) => hints.zones.length > 0)) return undefined
  const ignored = ignoredHints(service.endpoints, 'zones', node.zone)
  const elsewhere = candidates.find(({ endpoint }) => !endpoint.hints.zones.includes(node.zone))
  if (ignored === undefined || elsewhere === undefined) return undefined
  const target = ignored.because === 'endpointWithoutHint' ? ignored.endpoint : elsewhere.endpoint
  const way = ways.find(({ outcome }) => outcome.kind === 'delivered' && outcome.address === target.ip) ?? ways[0]
  const step = way && sendingStep(way)
  if (step === undefined) return undefined
  const { why, steps } = TEXTS[ignored.because](ignored, service, node)
  return {
    code: 'ignoredHints',
    happens: onNode(
      wanted.plan,
      `packets to ${servicePort.text} go to every zone: topology hints are ignored on this node`,
    ),
    why,
    steps,
    object: serviceText(servicePort),
    ...ruleOf(step, 'sends to an endpoint without a hint for this zone'),
  }
}

type TextsOf = (
  ignored: IgnoredHints,
  service: ServicePlan,
  node: { readonly name: string; readonly zone: string },
) => { readonly why: string; readonly steps: readonly DiagnosisStep[] }

const LABEL = 'topology.kubernetes.io/zone'

const TEXTS: Readonly<Record<IgnoredHints['because'], TextsOf>> = {
  nodeUnknown: (_, { id }, { name }) => ({
    why: `${name === '' ? 'the node' : `Node ${name}`} has no label ${LABEL}, so no hint of ${serviceText(id)} matches it`,
    steps: [
      {
        text: `Label the node with its zone; with kubectl, and the name of the zone instead of ZONE`,
        command: isName(name) ? `kubectl label node ${name} ${LABEL}=ZONE` : undefined,
        impact: 'hints apply only if every node has the label',
      },
    ],
  }),
  endpointWithoutHint: (ignored, { id }) => {
    const endpoint = ignored.because === 'endpointWithoutHint' ? ignored.endpoint : undefined
    const first = endpoint === undefined || endpoint.nodeName === '' ? '' : `, ${endpoint.nodeName} first`
    return {
      why: `endpoint ${endpoint?.text ?? ''} of ${serviceText(id)} is ready and has no hint for any zone, so kube-proxy ignores all hints`,
      steps: [
        {
          text: `Check with kubectl that every node has a zone${first}`,
          command: `kubectl get nodes -L ${LABEL}`,
        },
        { text: 'If every node has one, start more pods: there are too few endpoints for the zones' },
      ],
    }
  },
  noneForThisNode: (_, { id }, { zone }) => ({
    why: `no ready endpoint of ${serviceText(id)} has a hint for ${zone}, the zone of this node, so kube-proxy ignores all hints`,
    steps: [
      { text: 'Do nothing if packets may cross zones; otherwise no endpoint would receive them' },
      { text: `If they must not, run a pod of the Service in ${zone}` },
    ],
  }),
}
