import type { ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Diagnosis } from './diagnosis.js'
import {
  andMore,
  driftOf,
  effectOf,
  endpointCount,
  type NodeDiagnosisFacts,
  nameText,
  type OwnedDrift,
  whereText,
} from './node-facts.js'
import { onNode, serviceText, standingText } from './packet-facts.js'
import { restartOrScriptSteps } from './remedies.js'

/**
 * Diagnoses rules of an older state of the objects: service ports that are rejected although they have endpoints, and
 * endpoints without a rule.
 */
export function staleRuleDiagnoses(facts: NodeDiagnosisFacts): readonly Diagnosis[] {
  const refused = refusedThoughServed(facts)
  const isRefused = new Set(refused.map(({ drift }) => drift.servicePort))
  const lacking = lackingEndpoints(facts).filter(({ drift }) => !isRefused.has(drift.servicePort))
  return [
    ...refusedDiagnosis(refused, facts),
    ...goneDiagnosis(goneEndpoints(facts), facts),
    ...lackingDiagnosis(lacking, facts),
  ]
}

interface Found {
  readonly drift: OwnedDrift
  readonly service: ServicePlan
}

/** Returns the rejecting rules that packets reach: an earlier rule may translate the destination. */
function refusedThoughServed(facts: NodeDiagnosisFacts): readonly Found[] {
  return driftOf(facts, 'extra').flatMap((drift): readonly Found[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const effect = effectOf(drift, drift.found, facts.live)
    if (service === undefined || service.reachable.length === 0 || effect?.refuses !== true) return []
    const isRefused = facts.pathsTo(service).some(({ outcome: { kind } }) => kind === 'rejected' || kind === 'dropped')
    return isRefused ? [{ drift, service }] : []
  })
}

function refusedDiagnosis(found: readonly Found[], facts: NodeDiagnosisFacts): readonly Diagnosis[] {
  const [first] = found
  if (first === undefined) return []
  const { drift, service } = first
  const { servicePort } = drift
  const rule = effectOf(drift, drift.found)?.rule ?? ''
  const object = serviceText(service.id)
  const others = new Set(found.map(({ drift }) => drift.servicePort)).size - 1
  return [
    {
      code: 'staleRules',
      summary: onNode(
        facts.plan,
        `packets to ${andMore(servicePort, others, 'service port')} are rejected although there are endpoints`,
      ),
      cause: `${object} has ${endpointCount(service)}, but ${olderText(service, facts)}`,
      steps: restartOrScriptSteps(facts.plan),
      object,
      rule,
      ruleStatus: standingText(whereText(drift), 'out of date'),
    },
  ]
}

/** Returns a text about the age of the rules: they precede the last endpoint change. */
function olderText({ id }: ServicePlan, { changes }: NodeDiagnosisFacts): string {
  const time = changes.get(`${id.namespace}/${id.name}`)
  const age = time === undefined ? 'older' : `from before ${time}, the last change of its endpoints`
  return `the rules on the node are ${age}: kube-proxy there seems to receive no updates from the API server`
}

/** A rule or real server with a destination that is not an endpoint. */
interface Gone extends Found {
  readonly endpoint: string
  readonly rule: string
}

function goneEndpoints(facts: NodeDiagnosisFacts): readonly Gone[] {
  return [...driftOf(facts, 'extra'), ...driftOf(facts, 'changed')].flatMap((drift): readonly Gone[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const effect = effectOf(drift, drift.found)
    if (service === undefined || effect === undefined || effect.takesNoMore) return []
    const gone = effect.sendsTo.filter((place) => !service.endpoints.some(({ text }) => text === place))
    return gone.map((endpoint) => ({ drift, service, endpoint, rule: effect.rule }))
  })
}

function goneDiagnosis(gone: readonly Gone[], facts: NodeDiagnosisFacts): readonly Diagnosis[] {
  const [first] = gone
  if (first === undefined) return []
  const { drift, service, endpoint, rule } = first
  const object = serviceText(service.id)
  return [
    {
      code: 'staleEndpoint',
      summary: onNode(
        facts.plan,
        `packets to ${drift.servicePort} are sent to ${andMore(endpoint, gone.length - 1, 'address')}, no longer ${gone.length > 1 ? 'endpoints' : 'an endpoint'}`,
      ),
      cause: `${object} has other endpoints now, but ${olderText(service, facts)}`,
      steps: restartOrScriptSteps(facts.plan),
      object,
      rule,
      ruleStatus: standingText(whereText(drift), 'out of date'),
    },
  ]
}

/** An endpoint without a rule that sends packets to it, and the missing rule. */
interface Lacking extends Found {
  readonly endpoint: string
}

function lackingEndpoints(facts: NodeDiagnosisFacts): readonly Lacking[] {
  return [...driftOf(facts, 'missing'), ...driftOf(facts, 'changed')].flatMap((drift): readonly Lacking[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const reached = effectOf(drift, drift.found)?.sendsTo ?? []
    const lacked = placesExpected(drift).filter((place) => !reached.includes(place))
    const found = service?.reachable.filter(({ text }) => lacked.includes(text)) ?? []
    return service === undefined ? [] : found.map(({ text }) => ({ drift, service, endpoint: text }))
  })
}

/** Returns the destinations of a complete missing group of lines, not those of a single rule. */
function placesExpected(drift: OwnedDrift): readonly string[] {
  const { expected = '' } = drift
  return expected.startsWith('-A ') ? [] : (effectOf(drift, expected)?.sendsTo ?? [])
}

function lackingDiagnosis(lacking: readonly Lacking[], facts: NodeDiagnosisFacts): readonly Diagnosis[] {
  const [first] = lacking
  if (first === undefined) return []
  const { drift, service, endpoint } = first
  const { kind, servicePort } = drift
  const lack =
    kind === 'missing' ? 'no rule on the node sends packets to it' : 'its rule on the node sends packets elsewhere'
  const object = serviceText(service.id)
  return [
    {
      code: 'missingEndpoint',
      summary: onNode(
        facts.plan,
        `packets to ${servicePort} are never sent to ${andMore(endpoint, lacking.length - 1, 'endpoint')}`,
      ),
      cause: `${object} has that endpoint, but ${lack}: kube-proxy did not write it, or it was deleted`,
      steps: restartOrScriptSteps(facts.plan),
      object,
      rule: nameText(drift),
      ruleStatus: kind === 'missing' ? 'missing' : 'wrong destination',
    },
  ]
}
