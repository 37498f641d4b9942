import type { ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Diagnosis } from './diagnosis.js'
import {
  type DriftWithOwner,
  formatDriftLocation,
  formatDriftTable,
  formatEndpointCount,
  formatFirstAndCount,
  listDriftOfKind,
  type NodeDiagnosisContext,
  parseDriftEffect,
} from './node-diagnosis-context.js'
import { formatRuleLocation, formatService, prefixWithNode } from './packet-diagnosis-context.js'
import { createRestartOrScriptSteps } from './remedies.js'

/**
 * Diagnoses rules of an older state of the objects: service ports that are rejected although they have endpoints, and
 * endpoints without a rule.
 */
export function diagnoseStaleRules(facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const rejected = findStaleRejections(facts)
  const isRejected = new Set(rejected.map(({ drift }) => drift.servicePort))
  const lacking = lackingEndpoints(facts).filter(({ drift }) => !isRejected.has(drift.servicePort))
  return [
    ...staleRejectionDiagnosis(rejected, facts),
    ...goneDiagnosis(goneEndpoints(facts), facts),
    ...lackingDiagnosis(lacking, facts),
  ]
}

interface Found {
  readonly drift: DriftWithOwner
  readonly service: ServicePlan
}

/**
 * Returns rejecting rules that are not expected and that take effect. A rule that no packet reaches, because an earlier
 * rule does DNAT, is left out.
 */
function findStaleRejections(facts: NodeDiagnosisContext): readonly Found[] {
  return listDriftOfKind(facts, 'extra').flatMap((drift): readonly Found[] => {
    const service = facts.servicePorts.get(drift.servicePort)
    const effect = parseDriftEffect(drift, drift.found, facts.live)
    if (service === undefined || service.reachable.length === 0 || effect?.refuses !== true) return []
    const isRejected = facts
      .pathsTo(service)
      .some(({ outcome: { kind }, isAccepted }) => isAccepted && (kind === 'rejected' || kind === 'dropped'))
    return isRejected ? [{ drift, service }] : []
  })
}

function staleRejectionDiagnosis(found: readonly Found[], facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const [first] = found
  if (first === undefined) return []
  const { drift, service } = first
  const { servicePort } = drift
  const rule = parseDriftEffect(drift, drift.found)?.rule ?? ''
  const object = formatService(service.id)
  const others = new Set(found.map(({ drift }) => drift.servicePort)).size - 1
  return [
    {
      code: 'staleRules',
      summary: prefixWithNode(
        facts.plan,
        `packets to ${formatFirstAndCount(servicePort, others, 'service port')} are rejected although there are endpoints`,
      ),
      cause: `${object} has ${formatEndpointCount(service)}, but ${describeAge(service, facts)}`,
      steps: createRestartOrScriptSteps(facts.plan),
      object,
      rule,
      ruleStatus: formatRuleLocation(formatDriftTable(drift), 'out of date'),
    },
  ]
}

/** Describes the age of the rules: older than the last endpoint change. */
function describeAge({ id }: ServicePlan, { changes }: NodeDiagnosisContext): string {
  const time = changes.get(`${id.namespace}/${id.name}`)
  const age = time === undefined ? 'older' : `older than the last change of its endpoints (${time})`
  return `the rules on the node are ${age}: kube-proxy there seems to receive no updates from the API server`
}

/** A rule or real server with a destination that is not an endpoint. */
interface Gone extends Found {
  readonly endpoint: string
  readonly rule: string
}

function goneEndpoints(facts: NodeDiagnosisContext): readonly Gone[] {
  return [...listDriftOfKind(facts, 'extra'), ...listDriftOfKind(facts, 'changed')].flatMap(
    (drift): readonly Gone[] => {
      const service = facts.servicePorts.get(drift.servicePort)
      const effect = parseDriftEffect(drift, drift.found)
      if (service === undefined || effect === undefined || effect.acceptsNoConnections) return []
      const gone = effect.sendsTo.filter((place) => !service.endpoints.some(({ text }) => text === place))
      return gone.map((endpoint) => ({ drift, service, endpoint, rule: effect.rule }))
    },
  )
}

function goneDiagnosis(gone: readonly Gone[], facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const [first] = gone
  if (first === undefined) return []
  const { drift, service, endpoint, rule } = first
  const object = formatService(service.id)
  return [
    {
      code: 'staleEndpoint',
      summary: prefixWithNode(
        facts.plan,
        `packets to ${drift.servicePort} are sent to ${formatFirstAndCount(endpoint, gone.length - 1, 'address')}, which ${gone.length > 1 ? 'are no longer endpoints' : 'is no longer an endpoint'}`,
      ),
      cause: `${object} has other endpoints now, but ${describeAge(service, facts)}`,
      steps: createRestartOrScriptSteps(facts.plan),
      object,
      rule,
      ruleStatus: formatRuleLocation(formatDriftTable(drift), 'out of date'),
    },
  ]
}

/** A missing rule that would send packets to an endpoint, and this endpoint. */
interface Lacking extends Found {
  readonly endpoint: string
}

function lackingEndpoints(facts: NodeDiagnosisContext): readonly Lacking[] {
  return [...listDriftOfKind(facts, 'missing'), ...listDriftOfKind(facts, 'changed')].flatMap(
    (drift): readonly Lacking[] => {
      const service = facts.servicePorts.get(drift.servicePort)
      const reached = parseDriftEffect(drift, drift.found)?.sendsTo ?? []
      const lacked = placesExpected(drift).filter((place) => !reached.includes(place))
      const endpoints = service?.reachable.filter(({ text }) => lacked.includes(text)) ?? []
      return service === undefined ? [] : endpoints.map(({ text }) => ({ drift, service, endpoint: text }))
    },
  )
}

/**
 * Returns the destinations of a missing group of lines, such as a chain. Returns none for an individual missing rule
 * (`-A …`).
 */
function placesExpected(drift: DriftWithOwner): readonly string[] {
  return drift.part.kind === 'rule' ? [] : (parseDriftEffect(drift, drift.expected)?.sendsTo ?? [])
}

function lackingDiagnosis(lacking: readonly Lacking[], facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const [first] = lacking
  if (first === undefined) return []
  const { drift, service, endpoint } = first
  const { kind, servicePort } = drift
  const lack =
    kind === 'missing' ? 'no rule on the node sends packets to it' : 'its rule on the node sends packets elsewhere'
  const object = formatService(service.id)
  return [
    {
      code: 'missingEndpoint',
      summary: prefixWithNode(
        facts.plan,
        `packets to ${servicePort} are never sent to ${formatFirstAndCount(endpoint, lacking.length - 1, 'endpoint')}`,
      ),
      cause: `${object} has that endpoint, but ${lack}: kube-proxy did not write it, or it was deleted`,
      steps: createRestartOrScriptSteps(facts.plan),
      object,
      rule: formatDriftLocation(drift),
      ruleStatus: kind === 'missing' ? 'missing' : 'wrong destination',
    },
  ]
}
