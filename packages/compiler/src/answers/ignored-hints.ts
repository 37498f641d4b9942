import type { ServicePlan } from '../plan/plan.js'
import { type IgnoredHints, ignoredHints } from '../plan/topology-filter.js'
import type { Answer } from './answer.js'
import { onNode, type PacketFacts, ruleOf, sendingStep, serviceText } from './packet-facts.js'
import { ANYWHERE, isName } from './remedies.js'

/** Hints that do not count, so that packets go to every zone: the first reason that decides. */
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
  const { why, todo } = TEXTS[ignored.because](ignored, service, node)
  return {
    code: 'ignoredHints',
    happens: onNode(
      wanted.plan,
      `packets to ${servicePort.text} go to every zone: its topology hints do not count here`,
    ),
    why,
    todo,
    object: serviceText(servicePort),
    ...ruleOf(step, 'sends to an endpoint without a hint for this zone'),
  }
}

function onItsNode(ignored: IgnoredHints): string {
  const name = ignored.because === 'endpointWithoutHint' ? ignored.endpoint.nodeName : ''
  return name === '' ? '' : ` (${name})`
}

type TextsOf = (
  ignored: IgnoredHints,
  service: ServicePlan,
  node: { readonly name: string; readonly zone: string },
) => { readonly why: string; readonly todo: string }

const TEXTS: Readonly<Record<IgnoredHints['because'], TextsOf>> = {
  nodeUnknown: (_, { id }, { name }) => ({
    why: `${name === '' ? 'the node' : `Node ${name}`} has no label topology.kubernetes.io/zone, so that no hint of ${serviceText(id)} can be for it`,
    todo: `${isName(name) ? `kubectl label node ${name} topology.kubernetes.io/zone=ZONE (${ANYWHERE}; with the zone it is in)` : 'label the node topology.kubernetes.io/zone=ZONE'}; as long as one node lacks the label nobody gets hints`,
  }),
  endpointWithoutHint: (ignored, { id }) => ({
    why: `endpoint ${ignored.because === 'endpointWithoutHint' ? ignored.endpoint.text : ''} of ${serviceText(id)} is ready and has no hint for any zone, and then kube-proxy ignores all hints`,
    todo: `kubectl get nodes -L topology.kubernetes.io/zone (${ANYWHERE}): every node needs a zone, that of the endpoint first of all${onItsNode(ignored)}; only if all have one: there are too few endpoints for the zones, so run more pods`,
  }),
  noneForThisNode: (_, { id }, { zone }) => ({
    why: `no ready endpoint of ${serviceText(id)} has a hint for ${zone}, the zone of this node, and then kube-proxy ignores all hints`,
    todo: `nothing: packets go elsewhere so that they are served; only if they must not: run a pod of the Service in ${zone}`,
  }),
}
