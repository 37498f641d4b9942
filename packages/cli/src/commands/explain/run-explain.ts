import { type SurveyRow, survey } from '@kube-rules/analyzer'
import { printSurvey, type ShortWhy } from '@kube-rules/analyzer/explain'
import {
  type Answered,
  type ExplainedNode,
  explainPackets,
  packetsTo,
  printAnswered,
  printExplanationsJson,
  printSurveyJson,
  readDestination,
} from '@kube-rules/application/explain'
import { judgingLines, UsageError } from '@kube-rules/application/messages'
import type { Plan } from '@kube-rules/compiler/plan'
import type { Context } from '../../context.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import { printMessages, writeToWhoListens } from '../../report.js'
import { explainOptions } from './explain-options.js'
import { loadNode } from './load-node.js'

type Values = OptionValues<typeof explainOptions>

/**
 * Runs `kube-rules explain`. Returns 1 if the rules deviate from the objects, else 0. Standard output is written last,
 * and only on success.
 */
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
  const destination = text === undefined ? undefined : readDestination(text, values.namespace)
  const node = await loadNode(context, values)
  const { output, differs } =
    destination === undefined
      ? answerRows(surveyNode(node), node, values)
      : answerExplanations(explainPackets(packetsTo(destination, node, values.from), node, values), node, values)
  const messages = judgingLines(node.diagnostics, plansOf(node), ' (-o json shows all)')
  await printMessages(context, [...messages, ...node.doubts, ...node.notes])
  await writeToWhoListens(context, output)
  return differs ? 1 : 0
}

/** The text, and whether any rule deviates from the objects. */
interface Printed {
  readonly output: string
  readonly differs: boolean
}

function answerRows(rows: readonly SurveyRow[], node: ExplainedNode, values: Values): Printed {
  const differs = rows.some(({ why = {} }) => Object.values(why).some(doesOtherwise))
  return { output: printRows(rows, node, values), differs }
}

function answerExplanations(explanations: readonly Answered[], node: ExplainedNode, values: Values): Printed {
  const differs = explanations.some(({ why }) => why !== undefined && doesOtherwise(why))
  return { output: printExplanations(explanations, node, values), differs }
}

/** What depends on something undetermined is no difference. */
function doesOtherwise({ difference }: ShortWhy): boolean {
  return difference !== undefined && difference !== 'unknown'
}

function plansOf({ families }: ExplainedNode): readonly Plan[] {
  return families.flatMap(({ plan }) => plan ?? [])
}

function surveyNode({ families }: ExplainedNode): readonly SurveyRow[] {
  return families.flatMap(({ state, plan, compiled, surroundings }) =>
    survey(state, { plan, compiled, ...surroundings }),
  )
}

function printRows(rows: readonly SurveyRow[], { diagnostics }: ExplainedNode, { output }: Values): string {
  return output === 'json' ? printSurveyJson(rows, diagnostics) : printSurvey(rows)
}

function printExplanations(
  explanations: readonly Answered[],
  { diagnostics }: ExplainedNode,
  { output }: Values,
): string {
  if (output === 'json') return printExplanationsJson(explanations, diagnostics)
  return printAnswered(explanations)
}
