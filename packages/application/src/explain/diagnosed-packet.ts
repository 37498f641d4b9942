import { type Explanation, explain } from '@kube-rules/analyzer'
import { type Diagnosis, diagnosePacket, printDiagnosis, printExplanation } from '@kube-rules/analyzer/explain'
import { addDumpLocation } from '../dump/add-dump-location.js'
import type { ExplainedNode } from './explained-node.js'
import type { ExplainedPacket } from './packets.js'

/** An explanation with its diagnoses. */
export interface DiagnosedPacket extends Explanation {
  readonly diagnoses: readonly Diagnosis[]
}

/** Explains and diagnoses packets on a node. `established` means packets of existing flows. */
export function explainPackets(
  packets: readonly ExplainedPacket[],
  { nodes, sources, compiledFrom }: ExplainedNode,
  { established = false }: { readonly established?: boolean | undefined } = {},
): readonly DiagnosedPacket[] {
  return packets.map(({ state, plan, compiled, traceContext, packet }) => {
    const explanation = explain(state, packet, { plan, compiled, nodes, ...traceContext })
    const diagnoses = diagnosePacket(explanation, state, { ...compiledFrom, established, ...traceContext })
    return { diagnoses: diagnoses.map((diagnosis) => addDumpLocation(diagnosis, sources)), ...explanation }
  })
}

/** Prints the text of `kube-rules explain DESTINATION`. */
export function printDiagnosedPackets(explanations: readonly DiagnosedPacket[]): string {
  return explanations.map((each) => each.diagnoses.map(printDiagnosis).join('') + printExplanation(each)).join('\n')
}
