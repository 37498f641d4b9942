import { type Explanation, explain, type SurveyRow, survey } from '@kube-rules/compiler'
import { printExplanation, printSurvey } from '@kube-rules/compiler/explain'
import type { Plan } from '@kube-rules/compiler/plan'
import type { Context } from '../../context.js'
import { UsageError } from '../../errors.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import { judgingLines } from '../../report/diagnostic-lines.js'
import { printMessages } from '../../report/print-message.js'
import { readDestination } from './destination.js'
import { explainOptions } from './explain-options.js'
import { type ExplainedNode, loadNode } from './explained-node.js'
import { type ExplainedPacket, packetsTo } from './packets.js'
import { printExplanationsJson, printSurveyJson } from './print-json.js'

type Values = OptionValues<typeof explainOptions>

/** The work of `kube-rules explain`. Standard output is written last, and only where everything went well. */
export async function runExplain(context: Context): Promise<number> {
  const { values, operands } = parseArguments(explainOptions, context.args)
  const [text, unexpected] = operands
  if (unexpected !== undefined) throw new UsageError(`unexpected argument ${unexpected}`)
  if (values.all === (text !== undefined)) {
    throw new UsageError(
      values.all ? 'option --all and DESTINATION exclude one another' : 'DESTINATION is needed, or --all',
    )
  }
  if (values.all && values.from !== undefined) throw new UsageError('option --from is for one DESTINATION')
  const destination = text === undefined ? undefined : readDestination(text)
  const node = await loadNode(context, values)
  const output =
    destination === undefined
      ? printRows(surveyNode(node), node, values)
      : printExplanations(explainPackets(packetsTo(destination, node, values.from)), node, values)
  const messages = judgingLines(node.diagnostics, plansOf(node), ' (-o json shows all)')
  await printMessages(context, [...messages, ...node.doubts])
  await context.stdout.write(output)
  return 0
}

function plansOf({ families }: ExplainedNode): readonly Plan[] {
  return families.flatMap(({ plan }) => plan ?? [])
}

function surveyNode({ families }: ExplainedNode): readonly SurveyRow[] {
  return families.flatMap(({ state, plan, surroundings }) => survey(state, { plan, ...surroundings }))
}

function explainPackets(packets: readonly ExplainedPacket[]): readonly Explanation[] {
  return packets.map(({ state, plan, surroundings, packet }) => explain(state, packet, { plan, ...surroundings }))
}

function printRows(rows: readonly SurveyRow[], { diagnostics }: ExplainedNode, { output }: Values): string {
  return output === 'json' ? printSurveyJson(rows, diagnostics) : printSurvey(rows)
}

function printExplanations(
  explanations: readonly Explanation[],
  { diagnostics }: ExplainedNode,
  { output }: Values,
): string {
  if (output === 'json') return printExplanationsJson(explanations, diagnostics)
  return explanations.map(printExplanation).join('\n')
}
