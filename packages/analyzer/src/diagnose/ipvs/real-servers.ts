import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { PROTOCOLS_BY_NAME } from '@kube-rules/types/internal/protocol'
import type { Drift } from '../../verify/report.js'
import type { Diagnosis, DiagnosisStep, StepChange } from '../diagnosis.js'
import { diagnoseMissingLoopBack, isLoopBackSet } from '../hairpin.js'
import {
  type DriftWithOwner,
  listDriftOfKind,
  type NodeDiagnosisContext,
  parseDriftEffect,
} from '../node-diagnosis-context.js'
import { formatRuleLocation, formatService, prefixWithNode } from '../packet-diagnosis-context.js'
import { createRestartStep, formatRootHint, prependCondition } from '../remedies.js'

/** Diagnoses real servers that are stuck at weight 0, and endpoints that cannot reach themselves. */
export function diagnoseIpvsServers(facts: NodeDiagnosisContext): readonly Diagnosis[] {
  return [
    ...listDriftOfKind(facts, 'changed').flatMap((drift) => weightDiagnosis(drift, facts)),
    ...listDriftOfKind(facts, 'missing').flatMap((drift) => hairpinSetDiagnosis(drift, facts)),
  ]
}

function weightDiagnosis(drift: DriftWithOwner, facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const { location, servicePort, found = '', expected = '' } = drift
  const service = facts.servicePorts.get(servicePort)
  const [weight, endpoint] = [/ -w (\d+)/.exec(expected)?.[1], location.split(' ').at(-1)]
  if (service === undefined || weight === undefined || !parseDriftEffect(drift, found)?.acceptsNoConnections) return []
  const summary = `endpoint ${endpoint} of ${servicePort} gets no new connections: its weight is 0 instead of ${weight}`
  return [createWeightDiagnosis(drift, { summary, servicePort: service.id, plan: facts.plan })]
}

/** Creates the diagnosis of a real server with a remaining weight of 0. `summary` is the effect, without the node. */
export function createWeightDiagnosis(
  drift: Drift,
  {
    summary,
    servicePort,
    plan,
    status,
  }: { readonly summary: string; readonly servicePort: ServicePortId; readonly plan: Plan; readonly status?: string },
): Diagnosis {
  const object = formatService(servicePort)
  return {
    code: 'weightZero',
    summary: prefixWithNode(plan, summary),
    cause: `kube-proxy sets the weight of an endpoint to 0 when the endpoint disappears; this endpoint of ${object} is back, and kube-proxy did not restore its weight`,
    steps: createWeightSteps(drift, plan),
    object,
    rule: drift.found ?? '',
    ruleStatus: formatRuleLocation('ipvs', status),
  }
}

/** Returns the steps that restore the weight of a real server. */
function createWeightSteps({ location, expected = '' }: Drift, plan: Plan): readonly DiagnosisStep[] {
  const restart = createRestartStep(plan)
  const change = createWeightChange(location, Number(/ -w (\d+)/.exec(expected)?.[1]))
  return [
    {
      text: `Restore the weight ${formatRootHint(plan)}`,
      command: `ipvsadm ${expected.replace(/^-a /, '-e ')}`,
      ...(change && { change }),
      impact: 'the endpoint gets its share of new connections again; nothing else changes',
    },
    { ...restart, text: prependCondition('If that does not help, or ipvsadm is not installed', restart.text) },
  ]
}

/** Returns the change of a real server at a location: `ipvs TCP 10.96.0.1:80 10.244.1.1:8080`. */
function createWeightChange(location: string, weight: number): StepChange | undefined {
  const [, name = '', virtualServer = '', realServer = ''] = location.split(' ')
  const protocol = PROTOCOLS_BY_NAME.get(name.toLowerCase())
  return protocol && { kind: 'setServerWeight', protocol, virtualServer, realServer, weight }
}

/**
 * Matches `KUBE-LOOP-BACK 10.244.1.1,tcp:8080,10.244.1.1`. The groups are the set with the entry, the set, and the
 * address and port of the entry.
 */
const ENTRY = /^ipset ((\S+) ([^,]+),\w+:(\d+),.*)$/

function hairpinSetDiagnosis(
  { location, servicePort }: DriftWithOwner,
  facts: NodeDiagnosisContext,
): readonly Diagnosis[] {
  const service = facts.servicePorts.get(servicePort)
  const [, entry, set = '', address, port] = ENTRY.exec(location) ?? []
  const endpoint = service?.endpoints.find(({ ip, port: number }) => ip === address && String(number) === port)
  if (service === undefined || endpoint === undefined || entry === undefined || !isLoopBackSet(set)) return []
  const { plan } = facts
  return [
    diagnoseMissingLoopBack({ code: 'missingLoopBack', plan, servicePort: service.id, address: endpoint.ip }, entry),
  ]
}
