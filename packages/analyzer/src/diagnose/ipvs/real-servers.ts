import type { RealServerPart } from '@kube-rules/compiler/internal/dataplane/drift-part'
import type { ServicePortId } from '@kube-rules/compiler/internal/model/services/service-port'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Drift } from '../../verify/report.js'
import type { Diagnosis, DiagnosisStep } from '../diagnosis.js'
import { diagnoseMissingLoopBack, isLoopBackSet } from '../hairpin.js'
import { type DriftWithOwner, listDriftOfKind, type NodeDiagnosisContext } from '../node-diagnosis-context.js'
import { formatRuleLocation, formatService, prefixWithNode } from '../packet-diagnosis-context.js'
import { createRestartStep, formatRootHint, prependCondition } from '../remedies.js'

/** Diagnoses real servers that are stuck at weight 0, and endpoints that cannot reach themselves. */
export function diagnoseIpvsServers(facts: NodeDiagnosisContext): readonly Diagnosis[] {
  return [
    ...listDriftOfKind(facts, 'changed').flatMap((drift) => weightDiagnosis(drift, facts)),
    ...listDriftOfKind(facts, 'missing').flatMap((drift) => hairpinSetDiagnosis(drift, facts)),
  ]
}

/** Drift about the weight of a real server. */
export type RealServerDrift = Drift & { readonly part: Required<RealServerPart> }

/** Reports whether drift is about a real server with weight 0 instead of the expected weight. */
export function isStoppedServer<Item extends Drift>(drift: Item): drift is Item & RealServerDrift {
  return drift.kind === 'changed' && drift.part.kind === 'realServer' && drift.part.foundWeight === 0
}

function weightDiagnosis(drift: DriftWithOwner, facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const { servicePort } = drift
  const service = facts.servicePorts.get(servicePort)
  if (service === undefined || !isStoppedServer(drift)) return []
  const { realServer, expectedWeight } = drift.part
  const summary = `endpoint ${realServer} of ${servicePort} gets no new connections: its weight is 0 instead of ${expectedWeight}`
  return [createWeightDiagnosis(drift, { summary, servicePort: service.id, plan: facts.plan })]
}

/** Creates the diagnosis of a real server with a remaining weight of 0. `summary` is the effect, without the node. */
export function createWeightDiagnosis(
  drift: RealServerDrift,
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
function createWeightSteps({ part, expected = '' }: RealServerDrift, plan: Plan): readonly DiagnosisStep[] {
  const restart = createRestartStep(plan)
  const { protocol, virtualServer, realServer, expectedWeight: weight } = part
  return [
    {
      text: `Restore the weight ${formatRootHint(plan)}`,
      command: `ipvsadm ${expected.replace(/^-a /, '-e ')}`,
      change: { kind: 'setServerWeight', protocol, virtualServer, realServer, weight },
      impact: 'the endpoint gets its share of new connections again; nothing else changes',
    },
    { ...restart, text: prependCondition('If that does not help, or ipvsadm is not installed', restart.text) },
  ]
}

function hairpinSetDiagnosis({ part, servicePort }: DriftWithOwner, facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const service = facts.servicePorts.get(servicePort)
  if (service === undefined || part.kind !== 'element' || !isLoopBackSet(part.set)) return []
  const { plan } = facts
  const [address, port] = part.key
  const { id, endpoints } = service
  const endpoint = endpoints.find((each) => each.ip === address && `${id.protocol.toLowerCase()}:${each.port}` === port)
  if (endpoint === undefined) return []
  const lacked = { set: part.set, entry: part.key.join(',') }
  return [diagnoseMissingLoopBack({ code: 'missingLoopBack', plan, servicePort: id, address: endpoint.ip }, lacked)]
}
