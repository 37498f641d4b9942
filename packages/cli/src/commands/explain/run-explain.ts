import { type ReachabilityRow, traceAllFrontends } from '@kube-rules/analyzer'
import { printReachability, type ReasonSummary } from '@kube-rules/analyzer/explain'
import {
  type DiagnosedPacket,
  type ExplainedNode,
  explainPackets,
  packetsTo,
  printAnswered,
  printExplanationsJson,
  printReachabilityJson,
  readDestination,
} from '@kube-rules/application/explain'
import { UsageError, verificationLines } from '@kube-rules/application/messages'
import type { Plan } from '@kube-rules/compiler/plan'
import type { Context } from '../../context.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import { printMessages, writeIgnoringClosedPipe } from '../../report.js'
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
      ? diagnosisRows(reachabilityNode(node), node, values)
      : diagnosisExplanations(explainPackets(packetsTo(destination, node, values.from), node, values), node, values)
  const messages = verificationLines(node.diagnostics, plansOf(node), ' (-o json shows all)')
  await printMessages(context, [...messages, ...node.caveats, ...node.notes])
  await writeIgnoringClosedPipe(context, output)
  return differs ? 1 : 0
}

/** The text, and whether any rule deviates from the objects. */
interface Printed {
  readonly output: string
  readonly differs: boolean
}

function diagnosisRows(rows: readonly ReachabilityRow[], node: ExplainedNode, values: Values): Printed {
  const differs = rows.some(({ reason = {} }) => Object.values(reason).some(doesOtherwise))
  return { output: printRows(rows, node, values), differs }
}

function diagnosisExplanations(explanations: readonly DiagnosedPacket[], node: ExplainedNode, values: Values): Printed {
  const differs = explanations.some(({ reason }) => reason !== undefined && doesOtherwise(reason))
  return { output: printExplanations(explanations, node, values), differs }
}

/** Reports whether a reason shows a deviation. A result that depends on an unknown condition is not a deviation. */
function doesOtherwise({ divergence }: ReasonSummary): boolean {
  return divergence !== undefined && divergence !== 'undetermined'
}

function plansOf({ families }: ExplainedNode): readonly Plan[] {
  return families.flatMap(({ plan }) => plan ?? [])
}

function reachabilityNode({ families }: ExplainedNode): readonly ReachabilityRow[] {
  return families.flatMap(({ state, plan, compiled, traceContext }) =>
    traceAllFrontends(state, { plan, compiled, ...traceContext }),
  )
}

function printRows(rows: readonly ReachabilityRow[], { diagnostics }: ExplainedNode, { output }: Values): string {
  return output === 'json' ? printReachabilityJson(rows, diagnostics) : printReachability(rows)
}

function printExplanations(
  explanations: readonly DiagnosedPacket[],
  { diagnostics }: ExplainedNode,
  { output }: Values,
): string {
  if (output === 'json') return printExplanationsJson(explanations, diagnostics)
  return printAnswered(explanations)
}
