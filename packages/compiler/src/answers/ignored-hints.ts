import type { ServicePlan } from '../plan/plan.js'
import { type IgnoredHints, ignoredHints } from '../plan/topology-filter.js'
import type { Answer } from './answer.js'
import { type PacketFacts, ruleText, sendingStep, serviceText } from './packet-facts.js'

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
    happens: `Topology hints of ${servicePort.text} do not count on this node: packets go to every zone`,
    why: `${why} (${ruleText(step)})`,
    todo,
    object: serviceText(servicePort),
    rule: step.text,
  }
}

type TextsOf = (
  ignored: IgnoredHints,
  service: ServicePlan,
  node: { readonly name: string; readonly zone: string },
) => { readonly why: string; readonly todo: string }

const TEXTS: Readonly<Record<IgnoredHints['because'], TextsOf>> = {
  nodeUnknown: (_, { id }, { name }) => ({
    why: `Node ${name} has no label topology.kubernetes.io/zone, so that no hint of ${serviceText(id)} can be for it`,
    todo: `kubectl label node ${name} topology.kubernetes.io/zone=ZONE; as long as one node lacks it the controller sets no hints`,
  }),
  endpointWithoutHint: (ignored, { id }) => ({
    why: `endpoint ${ignored.because === 'endpointWithoutHint' ? ignored.endpoint.text : ''} of ${serviceText(id)} is ready and has no hint for any zone, and then all hints are ignored`,
    todo: 'see why the EndpointSlice controller gives it none: its node lacks a zone label (kubectl get nodes -L topology.kubernetes.io/zone), or there are too few endpoints for the zones',
  }),
  noneForThisNode: (_, { id }, { zone }) => ({
    why: `no ready endpoint of ${serviceText(id)} has a hint for ${zone}, the zone of this node, and then all hints are ignored`,
    todo: 'run an endpoint in this zone, or leave it: that packets go elsewhere is what keeps them served',
  }),
}
