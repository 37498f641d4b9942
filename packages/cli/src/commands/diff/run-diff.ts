import { createRejectionExplainer } from '@kube-rules/analyzer/compare'
import {
  type AssumedValue,
  compileCluster,
  mergeClusterDiagnostics,
  toCompileInput,
} from '@kube-rules/application/cluster'
import {
  addRejectionReasons,
  compareFamilies,
  exitCodeOfComparison,
  findAddedWarnings,
  findUnservedServices,
  printTrafficReport,
  toComparedStates,
} from '@kube-rules/application/compare'
import type { DiffDocument } from '@kube-rules/application/documents'
import { formatDiagnosticLines, printJsonDocument, UsageError } from '@kube-rules/application/messages'
import { printScript } from '@kube-rules/application/script'
import { diff, isEmptyPatch, type ResultPatch, toCommands } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { CliContext } from '../../cli-context.js'
import { loadTwoClusters } from '../../files/load-cluster.js'
import { formatSourceName } from '../../files/read-sources.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import { assertNoErrors, highlightChanges, printMessages, writeIgnoringClosedPipe } from '../../report.js'
import { diffOptions } from './diff-options.js'
import { type ComparedCluster, printDiffStat } from './print-diff-stat.js'

type Values = OptionValues<typeof diffOptions>

/**
 * Runs `kube-rules diff`. Returns 0 if there is no command to run, 2 if there is none for the files that were read, else
 * 1. Standard output is written last.
 */
export async function runDiff(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(diffOptions, context.args)
  const paths = requireTwo(operands)
  if (values.stat && values.output === 'json') throw new UsageError('option --stat cannot be combined with -o json')
  if (values.stat && values.traffic) throw new UsageError('options --stat and --traffic cannot be combined')
  if (values.output === 'markdown' && !values.traffic) throw new UsageError('option -o markdown is for --traffic')
  const [before, after] = await compileBoth(context, paths, values)
  if (values.traffic) return printTraffic(context, before, after, values)
  context.startPhase('comparing rules')
  const patch = diff(before.result, after.result)
  const text = printPatch(before, after, patch, values)
  await printMessages(context, [before, after].flatMap(messageLines))
  if (values.strict) assertNoErrors([...before.diagnostics, ...after.diagnostics], [])
  await writeIgnoringClosedPipe(context, values.stat ? highlightChanges(context, text) : text)
  return isEmptyPatch(patch) ? (unreadIn([before, after]).length === 0 ? 0 : 2) : 1
}

/**
 * Compares packets and returns the exit code. 0: every packet is handled the same. 1: at least one packet is handled
 * differently. 2: an outcome is undetermined.
 */
async function printTraffic(
  context: CliContext,
  before: ComparedCluster,
  after: ComparedCluster,
  { output, strict }: Values,
): Promise<number> {
  const diagnostics = [...before.diagnostics, ...after.diagnostics]
  if (strict) assertNoErrors(diagnostics, [])
  context.startPhase('comparing packets')
  const compared = addRejectionReasons(
    compareFamilies(toComparedStates(before.result), toComparedStates(after.result)),
    createRejectionExplainer(toCompileInput(after.cluster), after.result),
  )
  await printMessages(context, [before, after].flatMap(messageLines))
  const unserved = findUnservedServices([before, after])
  const warnings = findAddedWarnings(before.allDiagnostics, after.allDiagnostics)
  const unread = unreadIn([before, after])
  const report = { diagnostics, assumed: assumedIn([before, after]), unserved, unread, warnings }
  await writeIgnoringClosedPipe(context, printTrafficReport(compared, ['old', 'new'], report, output))
  return exitCodeOfComparison(compared, unserved, unread)
}

function requireTwo([older, newer, unexpected]: readonly string[]): readonly [string, string] {
  if (older === undefined || newer === undefined) throw new UsageError('OLD and NEW are required')
  if (unexpected !== undefined) throw new UsageError(`unexpected argument ${unexpected}`)
  return [older, newer]
}

async function compileBoth(
  context: CliContext,
  paths: readonly [string, string],
  values: Values,
): Promise<readonly [ComparedCluster, ComparedCluster]> {
  const [older, newer] = await loadTwoClusters(context, paths, values)
  const families = familiesOf(values.family)
  context.startPhase('computing rules')
  const previous = compileCluster(older, values, families)
  const next = compileCluster(newer, values, families, { previous })
  const all = mergeClusterDiagnostics(older, previous.diagnostics)
  const errors = all.filter(({ severity }) => severity === 'error')
  const diagnostics = mergeClusterDiagnostics(newer, next.diagnostics)
  const [oldName, newName] = paths.map(formatSourceName) as [string, string]
  return [
    { name: oldName, cluster: older, result: previous, diagnostics: errors, allDiagnostics: all },
    { name: newName, cluster: newer, result: next, diagnostics, allDiagnostics: diagnostics },
  ]
}

function familiesOf(choice: Values['family']): readonly IpFamily[] {
  return IP_FAMILIES.filter((family) => choice === undefined || choice === 'both' || family === `IPv${choice}`)
}

function printPatch(before: ComparedCluster, after: ComparedCluster, patch: ResultPatch, values: Values): string {
  if (values.output === 'json') return printJson(before, after, patch, values)
  if (isEmptyPatch(patch)) return ''
  return values.stat ? printDiffStat(before, after, patch) : printScript(toCommands(patch, { backend: values.backend }))
}

/** Prints one JSON document; `docs/reference/cli/diff.md` describes its fields. */
function printJson(before: ComparedCluster, after: ComparedCluster, patch: ResultPatch, { backend }: Values): string {
  const commands = toCommands(patch, { backend })
  const diagnostics = [
    ...before.diagnostics.map((diagnostic) => ({ input: 'old' as const, ...diagnostic })),
    ...after.diagnostics.map((diagnostic) => ({ input: 'new' as const, ...diagnostic })),
  ]
  return printJsonDocument<DiffDocument>('diff', { patch, commands, assumed: assumedIn([before, after]), diagnostics })
}

/** Returns the subdirectories of both clusters that were not read, without duplicates. */
function unreadIn(clusters: readonly ComparedCluster[]): readonly string[] {
  return [...new Set(clusters.flatMap(({ cluster }) => cluster.unread))]
}

/** Returns the assumed values of both clusters, without duplicates. */
function assumedIn(clusters: readonly ComparedCluster[]): readonly AssumedValue[] {
  const all = clusters.flatMap(({ cluster }) => cluster.assumed)
  return [...new Map(all.map((each) => [JSON.stringify(each), each])).values()]
}

/**
 * Formats the diagnostics and notes of a cluster as lines. A diagnostic without a source file gets the name of the
 * cluster as its source.
 */
function messageLines({ name, cluster, diagnostics }: ComparedCluster): readonly string[] {
  const named = diagnostics.map((diagnostic) => ({ ...diagnostic, source: diagnostic.source ?? name }))
  const notes = cluster.notes.map((line) => line.replace(/^note: /, `note: ${name}: `))
  return [...formatDiagnosticLines(named, ` in ${name} (-o json shows all)`), ...notes]
}
