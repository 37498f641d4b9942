import { type Explanation, explain } from '@kube-rules/analyzer'
import { type Answer, answerPacket, printAnswer, printExplanation } from '@kube-rules/analyzer/explain'
import { withSource } from '../dump/with-source.js'
import type { ExplainedNode } from './explained-node.js'
import type { ExplainedPacket } from './packets.js'

/** An explanation with its diagnoses. */
export interface Answered extends Explanation {
  readonly answers: readonly Answer[]
}

/** Explains and diagnoses packets on a node. `established` means packets of existing flows. */
export function explainPackets(
  packets: readonly ExplainedPacket[],
  { nodes, sources, compiledFrom }: ExplainedNode,
  { established = false }: { readonly established?: boolean | undefined } = {},
): readonly Answered[] {
  return packets.map(({ state, plan, compiled, surroundings, packet }) => {
    const explanation = explain(state, packet, { plan, compiled, nodes, ...surroundings })
    const answers = answerPacket(explanation, state, { ...compiledFrom, established, ...surroundings })
    return { answers: answers.map((answer) => withSource(answer, sources)), ...explanation }
  })
}

/** Prints the text of `kube-rules explain DESTINATION`. */
export function printAnswered(explanations: readonly Answered[]): string {
  return explanations.map((each) => each.answers.map(printAnswer).join('') + printExplanation(each)).join('\n')
}
