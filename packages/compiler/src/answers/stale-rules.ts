import { chainOfId } from '../dataplane/iptables/resources.js'
import type { ServicePlan } from '../plan/plan.js'
import type { Answer } from './answer.js'
import { andMore, driftOf, effectOf, type NodeAnswerFacts, type OwnedDrift } from './node-facts.js'
import { serviceText } from './packet-facts.js'

/** Rules of an older state of the objects: service ports that are refused though they have endpoints, and endpoints that nothing leads to. */
export function staleRuleAnswers(facts: NodeAnswerFacts): readonly Answer[] {
  const refused = refusedThoughServed(facts)
  const isRefused = new Set(refused.map(({ drift }) => drift.servicePort))
  const lacking = lackingEndpoints(facts).filter(({ drift }) => !isRefused.has(drift.servicePort))
  return [...refusedAnswer(refused, facts), ...goneAnswer(goneEndpoints(facts), facts), ...lackingAnswer(lacking)]
}

interface Found {
  readonly drift: OwnedDrift
  readonly service: ServicePlan
}

function refusedThoughServed(facts: NodeAnswerFacts): readonly Found[] {
  return driftOf(facts, 'extra').flatMap((drift): readonly Found[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const refuses = effectOf(drift, drift.found ?? '')?.refuses === true
    return refuses && service !== undefined && service.reachable.length > 0 ? [{ drift, service }] : []
  })
}

function refusedAnswer(found: readonly Found[], facts: NodeAnswerFacts): readonly Answer[] {
  const [first] = found
  if (first === undefined) return []
  const {
    drift: { servicePort, place, found: rule = '' },
    service,
  } = first
  const object = serviceText(service.id)
  const others = new Set(found.map(({ drift }) => drift.servicePort)).size - 1
  const endpoints = service.reachable.length === 1 ? '1 endpoint' : `${service.reachable.length} endpoints`
  return [
    {
      code: 'staleRules',
      happens: `This node refuses ${andMore(servicePort, others, 'service port')}, for which the objects have endpoints`,
      why: `${object} has ${endpoints} and no field that asks for it: ${olderText(service, facts)} (${chainOfId(place).table}: ${rule})`,
      todo: 'restart kube-proxy on this node, which seems to get no changes any more, or run what --script prints',
      object,
      rule,
    },
  ]
}

/** That rules are of an older state of the objects, and of when at the latest. */
function olderText({ id }: ServicePlan, { changes }: NodeAnswerFacts): string {
  const time = changes.get(`${id.namespace}/${id.name}`)
  return time === undefined
    ? 'the rules are older than the objects'
    : `the rules are from before ${time}, when its endpoints changed last`
}

const REMEDY = 'restart kube-proxy on this node, or run what --script prints'

/** A rule or real server that sends to what is no endpoint. */
interface Gone extends Found {
  readonly endpoint: string
  readonly rule: string
}

function goneEndpoints(facts: NodeAnswerFacts): readonly Gone[] {
  return driftOf(facts, 'extra').flatMap((drift): readonly Gone[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const { endpoint, rule } = targetOf(drift) ?? {}
    if (service === undefined || endpoint === undefined || rule === undefined) return []
    return service.endpoints.some(({ text }) => text === endpoint) ? [] : [{ drift, service, endpoint, rule }]
  })
}

/** Where an endpoint's chain or a real server sends packets. */
function targetOf(drift: OwnedDrift): Pick<Gone, 'endpoint' | 'rule'> | undefined {
  const effect = effectOf(drift, drift.found ?? '')
  return effect?.sendsTo === undefined || effect.takesNoMore
    ? undefined
    : { endpoint: effect.sendsTo, rule: effect.rule }
}

function goneAnswer(gone: readonly Gone[], facts: NodeAnswerFacts): readonly Answer[] {
  const [first] = gone
  if (first === undefined) return []
  const { drift, service, endpoint, rule } = first
  const object = serviceText(service.id)
  // `ipvs` of `ipvs TCP 10.96.0.1:80 …`, `nat` of `nat/KUBE-SEP-…`.
  const [where] = drift.place.split(/[ /]/, 1)
  return [
    {
      code: 'staleEndpoint',
      happens: `This node sends packets of ${drift.servicePort} to ${andMore(endpoint, gone.length - 1, 'place')}, which ${gone.length > 1 ? 'are no endpoints' : 'is no endpoint'} any more`,
      why: `${object} has no such endpoint: ${olderText(service, facts)} (${where}: ${rule})`,
      todo: 'restart kube-proxy on this node, which seems to get no changes any more, or run what --script prints',
      object,
      rule,
    },
  ]
}

/** An endpoint to which no rule leads, and what would. */
interface Lacking extends Found {
  readonly endpoint: string
}

function lackingEndpoints(facts: NodeAnswerFacts): readonly Lacking[] {
  return driftOf(facts, 'missing').flatMap((drift): readonly Lacking[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const endpoint = service?.reachable.find(({ text }) => leadsTo(drift, text))
    return service === undefined || endpoint === undefined ? [] : [{ drift, service, endpoint: endpoint.text }]
  })
}

/** By all that is missing, and not by one rule of it. */
function leadsTo(drift: OwnedDrift, endpoint: string): boolean {
  const { wanted = '' } = drift
  return !wanted.startsWith('-A ') && effectOf(drift, wanted)?.sendsTo === endpoint
}

function lackingAnswer(lacking: readonly Lacking[]): readonly Answer[] {
  const [first] = lacking
  if (first === undefined) return []
  const {
    drift: { servicePort, place, wanted = '' },
    service,
    endpoint,
  } = first
  const object = serviceText(service.id)
  return [
    {
      code: 'missingEndpoint',
      happens: `This node does not send packets of ${servicePort} to ${andMore(endpoint, lacking.length - 1, 'endpoint')}`,
      why: `${object} has that endpoint, and ${place} is missing, which would lead there`,
      todo: `${REMEDY}${wanted.includes('\n') ? ', which makes chains before the rules that lead to them' : ''}`,
      object,
      rule: place,
    },
  ]
}
