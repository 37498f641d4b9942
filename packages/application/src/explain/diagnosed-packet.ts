import { type Explanation, explain } from '@kube-rules/analyzer'
import {
  type Diagnosis,
  type DiagnosisCode,
  diagnosePacket,
  hasNatServiceRules,
  printDiagnosis,
  printExplanation,
} from '@kube-rules/analyzer/explain'
import { addLegacyStep } from '../dump/add-legacy-step.js'
import { adviseToScale } from './advise-to-scale.js'
import type { ExplainedFamily, ExplainedNode } from './explained-node.js'
import type { ExplainedPacket } from './packets.js'

/** An explanation with its diagnoses. */
export interface DiagnosedPacket extends Explanation {
  readonly diagnoses: readonly Diagnosis[]
}

/** Explains and diagnoses packets on a node. `established` means packets of existing flows. */
export function explainPackets(
  packets: readonly ExplainedPacket[],
  { families, nodes, services, sources, addLocation, compiledFrom, assumed, diagnoseDrift }: ExplainedNode,
  { established = false }: { readonly established?: boolean | undefined } = {},
): readonly DiagnosedPacket[] {
  return packets.map(({ state, plan, compiled, report, traceContext, packet }) => {
    const explanation = explain(state, packet, { plan, compiled, nodes, services, ...traceContext })
    const found = diagnosePacket(explanation, state, { ...compiledFrom, established, report, ...traceContext })
    const isDrift = explanation.reason?.divergence === 'drift' && found.every(({ code }) => code === 'missingRule')
    // Without any rules of kube-proxy, a single missing rule is not the cause.
    const mayReplace = found.length === 0 || families.some(lacksServiceRules)
    const ofNode = isDrift && mayReplace ? driftOfPacket(diagnoseDrift?.() ?? [], explanation) : []
    const isWithoutRules = ofNode.some(({ code }) => code === 'noRules' || code === 'emptiedTable')
    const diagnoses = found.length === 0 || isWithoutRules ? ofNode : found
    const located = diagnoses.map((each) => {
      const advised = adviseToScale(each, assumed)
      return addLegacyStep(addLocation?.(advised) ?? advised, sources)
    })
    return { diagnoses: located, ...explanation }
  })
}

/** Reports whether kube-proxy writes rules of iptables for Services, and the state has none of them. */
function lacksServiceRules({ compiled, state }: ExplainedFamily): boolean {
  return compiled?.iptables !== undefined && !hasNatServiceRules(state)
}

/**
 * Returns the diagnoses of the node that may explain a packet: those of its Service, and those that affect all
 * Services. They contain the repair.
 */
function driftOfPacket(diagnoses: readonly Diagnosis[], { reason }: Explanation): readonly Diagnosis[] {
  const [service = ''] = (reason?.subject ?? '').split(/[:,]/, 1)
  const object = `Service ${service}`
  return diagnoses.filter((each) => OF_ALL_SERVICES.has(each.code) || each.object === object)
}

const OF_ALL_SERVICES: ReadonlySet<DiagnosisCode> = new Set([
  ...(['undeclaredChain', 'emptiedTable', 'noRules', 'missingJumps', 'leftovers'] as const),
])

/** Prints the text of `kube-rules explain DESTINATION`. */
export function printDiagnosedPackets(explanations: readonly DiagnosedPacket[]): string {
  return explanations.map((each) => each.diagnoses.map(printDiagnosis).join('') + printExplanation(each)).join('\n')
}
