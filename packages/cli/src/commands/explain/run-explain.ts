import { type ReachabilityRow, traceAllFrontends } from '@kube-rules/analyzer'
import { isUndetermined, isUndeterminedRow, printReachability, type ReasonSummary } from '@kube-rules/analyzer/explain'
import { formatConnectionsOfPackets } from '@kube-rules/application/dump'
import {
  createPacketsToDestination,
  type DiagnosedPacket,
  type ExplainedNode,
  explainPackets,
  isSentByOtherProgram,
  noteHosts,
  noteKubectlTables,
  noteOtherPrograms,
  noteUnknownSource,
  parseDestination,
  printDiagnosedPackets,
  printExplanationsJson,
  printReachabilityJson,
} from '@kube-rules/application/explain'
import { formatVerificationLines, UsageError } from '@kube-rules/application/messages'
import type { Plan } from '@kube-rules/compiler/plan'
import type { CliContext } from '../../cli-context.js'
import { readLiveNode, writeCollectedFile } from '../../live/live-node.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import { printMessages, writeIgnoringClosedPipe } from '../../report.js'
import { explainOptions } from './explain-options.js'
import { loadNode } from './load-node.js'

type Values = OptionValues<typeof explainOptions>

/**
 * Runs `kube-rules explain`. Returns 1 if the rules deviate from the objects, 2 if a deviation cannot be ruled out
 * or an outcome is unknown, else 0. Standard output is written last, and only on success.
 */
export async function runExplain(commandContext: CliContext): Promise<number> {
  const { values: given, operands } = parseArguments(explainOptions, commandContext.args)
  if (given.collectOnly !== undefined) return writeCollectedFile(commandContext, given, given.collectOnly)
  const [text, unexpected] = operands
  if (unexpected !== undefined) throw new UsageError(`unexpected argument ${unexpected}`)
  if (given.all === (text !== undefined)) {
    throw new UsageError(
      given.all ? 'option --all cannot be combined with DESTINATION' : 'expected DESTINATION or --all',
    )
  }
  if (given.all && given.from !== undefined) throw new UsageError('option --from is only for one DESTINATION')
  const destination = text === undefined ? undefined : parseDestination(text, given.namespace)
  const { context, values } = await readLiveNode(commandContext, given)
  const node = await loadNode(context, values)
  context.startPhase('tracing packets')
  const {
    output,
    exitCode,
    hasUnexplainedDrift,
    notes = [],
  } = destination === undefined
    ? diagnosisRows(reachabilityNode(node), node, values)
    : diagnosisExplanations(
        explainPackets(createPacketsToDestination(destination, node, values.from), node, values),
        node,
        values,
      )
  const messages = formatVerificationLines(node.diagnostics, plansOf(node), ' (-o json shows all)')
  const advice = hasUnexplainedDrift ? [VERIFY_ADVICE] : []
  const hosts = destination !== undefined && 'name' in destination ? noteHosts(destination, node) : []
  await printMessages(context, [...messages, ...node.caveats, ...node.notes, ...hosts, ...notes, ...advice])
  await writeIgnoringClosedPipe(context, output)
  return exitCode
}

/** The printed text and the exit code. */
interface Printed {
  readonly output: string
  readonly exitCode: number
  /** Whether the rules of the node deviate from the objects without a diagnosis. */
  readonly hasUnexplainedDrift: boolean
  readonly notes?: readonly string[]
}

const VERIFY_ADVICE =
  'note: the rules of the node differ from the objects; to see the cause, run kube-rules verify with the same objects and --dump; with --script, it prints the repair'

function diagnosisRows(rows: readonly ReachabilityRow[], node: ExplainedNode, values: Values): Printed {
  const reasons = rows.flatMap(({ reason = {} }) => Object.values(reason))
  const hasUnexplainedDrift = reasons.some(isDrift)
  const isUnknown = node.compiledFrom === undefined && (rows.length === 0 || rows.some(isUndeterminedRow))
  const exitCode = exitCodeOf(reasons, isUnknown)
  return { output: printRows(rows, node, values), exitCode, hasUnexplainedDrift }
}

function diagnosisExplanations(explanations: readonly DiagnosedPacket[], node: ExplainedNode, values: Values): Printed {
  const reasons = explanations.flatMap(({ reason }) => reason ?? [])
  const hasUnexplainedDrift = explanations.some(
    (each) => each.diagnoses.length === 0 && each.reason && isDrift(each.reason) && !isSentByOtherProgram(each),
  )
  const isUnknown =
    node.compiledFrom === undefined &&
    explanations.some(
      ({ paths, diagnoses }) => isUndetermined(paths) || diagnoses.some(({ code }) => code === 'incompleteDump'),
    )
  const exitCode = exitCodeOf(reasons, isUnknown)
  const connections = node.compiledFrom === undefined ? formatConnectionsOfPackets(node.sources, explanations) : []
  const notes = [
    ...connections,
    ...noteKubectlTables(explanations, node.sources),
    ...noteUnknownSource(explanations),
    ...noteOtherPrograms(explanations),
  ]
  return { output: printExplanations(explanations, node, values), exitCode, hasUnexplainedDrift, notes }
}

function isDrift({ divergence }: ReasonSummary): boolean {
  return divergence === 'drift'
}

/** A deviation has precedence over an undetermined outcome. Without objects, there are no deviations. */
function exitCodeOf(reasons: readonly ReasonSummary[], isUnknown: boolean): number {
  const divergences = reasons.flatMap(({ divergence }) => divergence ?? [])
  if (divergences.some((divergence) => divergence !== 'undetermined')) return 1
  return divergences.length === 0 && !isUnknown ? 0 : 2
}

function plansOf({ families }: ExplainedNode): readonly Plan[] {
  return families.flatMap(({ plan }) => plan ?? [])
}

function reachabilityNode({ families }: ExplainedNode): readonly ReachabilityRow[] {
  return families.flatMap(({ state, plan, compiled, traceContext }) =>
    traceAllFrontends(state, { plan, compiled, ...traceContext }),
  )
}

function printRows(rows: readonly ReachabilityRow[], node: ExplainedNode, { output }: Values): string {
  if (output === 'json') return printReachabilityJson(rows, node)
  return rows.length === 0 ? NOTHING_TO_TRACE : printReachability(rows)
}

const NOTHING_TO_TRACE = 'no Service has an address and a port here, so there is no packet to trace\n'

function printExplanations(explanations: readonly DiagnosedPacket[], node: ExplainedNode, { output }: Values): string {
  if (output === 'json') return printExplanationsJson(explanations, node)
  return printDiagnosedPackets(explanations)
}
