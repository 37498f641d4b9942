import type { Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { PathStep } from '../program/steps.js'
import type { Diagnosis } from './diagnosis.js'
import {
  type DriftWithOwner,
  formatEndpointCount,
  formatServices,
  listDriftOfKind,
  type NodeDiagnosisContext,
  parseDriftEffect,
} from './node-diagnosis-context.js'
import { createDiagnosisRule, formatService, prefixWithNode } from './packet-diagnosis-context.js'
import { createRepairScriptStep } from './remedies.js'

/**
 * The leftovers of an unused mode in a subsystem: rules or a table. Undefined for a subsystem that handles packets only
 * together with rules.
 */
const LEFTOVERS: { readonly [S in Subsystem]: 'rules' | 'table' | undefined } = {
  nftables: 'table',
  ipset: undefined,
  ipvs: undefined,
  addresses: undefined,
  iptables: 'rules',
}

function leftoverOf({ subsystem }: DriftWithOwner): 'rules' | 'table' | undefined {
  return LEFTOVERS[subsystem]
}

/** Diagnoses leftovers of another mode on the node, and the packets that they reject. */
export function diagnoseLeftovers(facts: NodeDiagnosisContext): Diagnosis | undefined {
  const { mode } = facts
  const extra = listDriftOfKind(facts, 'extra').filter((drift) => leftoverOf(drift) !== undefined)
  const [other] = facts.exclusiveModesOf(extra.map(({ location }) => location)).filter((name) => name !== mode)
  if (other === undefined) return undefined
  const rules = extra.flatMap(rulesOf)
  const table = extra.find((drift) => leftoverOf(drift) === 'table')
  const number = rules.length === 1 ? '1 rule' : `${rules.length} rules`
  const left = `${other} mode left ${rules.length === 0 ? 'its table' : number} behind`
  const steps = [
    createRepairScriptStep(facts.plan),
    { text: 'Do the same on other nodes that changed their mode, each with its own dump' },
  ]
  const refusing = extra.flatMap((drift) =>
    rulesOf(drift).filter((rule) => parseDriftEffect(drift, rule)?.refuses === true),
  )
  const rejected = findRejectedServicePort(facts, refusing)
  if (rejected !== undefined) {
    const { service, step, to } = rejected
    const object = formatService(service.id)
    return {
      code: 'leftovers',
      summary: prefixWithNode(facts.plan, `an old rule rejects packets to ${to} (${service.id.text}): ${left}`),
      cause: `${object} has ${formatEndpointCount(service)} now, and the old rule is from a time without any; kube-proxy does not remove the rules of its previous mode`,
      steps,
      object,
      ...createDiagnosisRule(step, 'out of date'),
    }
  }
  const chain = table ?? extra.find(({ part }) => 'chain' in part && part.chain.startsWith('KUBE-'))
  const services = formatServices(facts)
  if (chain === undefined || services === undefined) return undefined
  return {
    code: 'leftovers',
    summary: prefixWithNode(facts.plan, left),
    cause: `${services.text} is served by ${mode} mode, which has no such rules; kube-proxy does not remove the rules of its previous mode`,
    steps,
    object: services.first,
    rule: table?.found ?? chain.location,
    ruleStatus: table === undefined ? 'an example' : 'before or after the rules of this mode',
  }
}

/** Returns the lines of the unexpected rules: one, or those of a chain. */
function rulesOf({ subsystem, part, found = '' }: DriftWithOwner): readonly string[] {
  return subsystem === 'iptables' ? found.split('\n').slice(part.kind === 'chain' ? 1 : 0) : []
}

/** Finds a service port with endpoints that is rejected by one of the rules. */
function findRejectedServicePort(
  { plan, pathsTo }: NodeDiagnosisContext,
  rules: readonly string[],
): { readonly service: ServicePlan; readonly step: PathStep; readonly to: string } | undefined {
  for (const service of plan.services) {
    // Rejecting rules name their service port, so a text search avoids traces for the many service ports of a large
    // node.
    if (service.reachable.length === 0 || !rules.some((rule) => rule.includes(service.id.text))) continue
    for (const { outcome, steps, to } of pathsTo(service)) {
      const step = steps.at(-1)
      if (
        (outcome.kind === 'rejected' || outcome.kind === 'dropped') &&
        step !== undefined &&
        rules.includes(step.text)
      ) {
        return { service, step, to }
      }
    }
  }
  return undefined
}
