import { createVersionExplainer } from '@kube-rules/analyzer/compare'
import { annotateOwners } from '@kube-rules/analyzer/explain'
import {
  type Cluster,
  compileCluster,
  mergeClusterDiagnostics,
  toCompileInput,
  toCompileOptions,
} from '@kube-rules/application/cluster'
import {
  addVersionCauses,
  type ComparedFamily,
  type ComparedState,
  compareFamilies,
  exitCodeOfComparison,
  findUnservedServices,
  printTrafficReport,
  toComparedStates,
} from '@kube-rules/application/compare'
import type { ReadDumpResult } from '@kube-rules/application/dump'
import { formatVerificationLines, UsageError } from '@kube-rules/application/messages'
import type { CompileResult } from '@kube-rules/compiler'
import { isDumpedByFamily, listModes, listSubsystems, type ProxyMode } from '@kube-rules/compiler'
import { IP_FAMILIES, type IpFamily } from '@kube-rules/types'
import type { CliContext } from '../../cli-context.js'
import { loadCurrentBackend } from '../../files/load-backends.js'
import { assertOneClusterInput, assertStdinReadOnce, loadCluster, withDumpedNode } from '../../files/load-cluster.js'
import { readLiveNode, writeCollectedFile } from '../../live/live-node.js'
import { formatAlternatives } from '../../options/format-alternatives.js'
import type { OptionValues } from '../../options/option.js'
import { assertNoOperands, parseArguments } from '../../options/parse-arguments.js'
import { assertNoErrors, printMessages, writeIgnoringClosedPipe } from '../../report.js'
import { compareOptions } from './compare-options.js'

type Values = OptionValues<typeof compareOptions>

/** Two rulesets for one cluster. */
interface Compared {
  readonly names: readonly [string, string]
  readonly a: readonly ComparedState[]
  readonly b: readonly ComparedState[]
  /** The results with diagnostics to print. */
  readonly results: readonly CompileResult[]
  /** Complete lines about the dump. */
  readonly notes: readonly string[]
}

/** Runs `kube-rules compare`. Standard output is written last. */
export async function runCompare(commandContext: CliContext): Promise<number> {
  const { values: given, operands } = parseArguments(compareOptions, commandContext.args)
  assertNoOperands(operands)
  if (given.collectOnly !== undefined) return writeCollectedFile(commandContext, given, given.collectOnly)
  const { context, values } = await readLiveNode(commandContext, given)
  requireOneQuestion(values)
  assertOneClusterInput(values)
  assertStdinReadOnce([...values.filename, ...values.dump, values.config, values.host])
  const { dump: paths, strict, node } = values
  const read = paths.length === 0 ? undefined : await loadCurrentBackend(context, paths, { strict, node })
  const cluster = await loadCluster(context, read === undefined ? values : withDumpedNode(values, read))
  context.startPhase('computing rules')
  const { names, a, b, results, notes } = comparedSides(cluster, values, read)
  const diagnostics = mergeClusterDiagnostics(
    cluster,
    results.flatMap((result) => result.diagnostics),
  )
  if (values.strict) assertNoErrors(diagnostics)
  context.startPhase('comparing packets')
  const compared = explained(compareFamilies(a, b, { isUnexpectedOnly: values.unexpected }), cluster, values)
  const plans = results.flatMap(({ families }) => families.map(({ plan }) => plan))
  await printMessages(context, [
    ...formatVerificationLines(diagnostics, plans, ' (-o json shows all)'),
    ...notes,
    ...cluster.notes,
  ])
  const unserved = findUnservedServices(results.slice(0, 1).map((result) => ({ cluster, result, diagnostics })))
  const report = { diagnostics, assumed: cluster.assumed, unserved, unread: cluster.unread }
  await writeIgnoringClosedPipe(context, printTrafficReport(compared, names, report, values.output))
  return exitCodeOfComparison(compared, unserved, cluster.unread)
}

function requireOneQuestion({ modes, kubernetesVersions: versions, dump, ...values }: Values): void {
  const asked = [modes !== undefined, versions !== undefined, dump.length > 0].filter((each) => each)
  if (asked.length === 0)
    throw new UsageError('one of the options --modes, --kubernetes-versions, --dump and --live is required')
  if (asked.length > 1) throw new UsageError('options --modes, --kubernetes-versions and --dump cannot be combined')
  if (values.unexpected && modes === undefined) throw new UsageError('option --unexpected is only for --modes')
  if (modes !== undefined && values.mode !== undefined)
    throw new UsageError('options --mode and --modes cannot be combined')
  if (versions !== undefined && values.kubernetesVersion !== undefined) {
    throw new UsageError('options --kubernetes-version and --kubernetes-versions cannot be combined')
  }
}

function comparedSides(cluster: Cluster, values: Values, read: ReadDumpResult | undefined): Compared {
  const { modes, kubernetesVersions: versions = '' } = values
  if (read !== undefined) return dumpedSides(cluster, values, read)
  if (modes !== undefined) {
    const names = pairOf('modes', modes)
    return compiledSides(names, (name) => compiled(cluster, { ...values, mode: readMode(name) }))
  }
  const names = pairOf('kubernetes-versions', versions)
  return compiledSides(names, (name) => compiled(cluster, { ...values, kubernetesVersion: name }))
}

function dumpedSides(cluster: Cluster, values: Values, { dump, notes, coverages }: ReadDumpResult): Compared {
  const families = familiesOf(values.family).filter(
    (family) =>
      values.family !== undefined ||
      listSubsystems().some((name) => isDumpedByFamily(name) && dump[family][name] !== undefined),
  )
  const result = compileCluster(cluster, values, families.length > 0 ? families : IP_FAMILIES, { dumps: [dump] })
  const a = toComparedStates(result)
  const b = a.map(({ state, addresses }) => ({ state: annotateOwners(dump[state.family], state), addresses }))
  return { names: ['compiled', 'live'], a, b, results: [result], notes: [...notes, ...coverages] }
}

/** Adds the causes to the differences if two versions of kube-proxy are compared. */
function explained(compared: readonly ComparedFamily[], cluster: Cluster, values: Values): readonly ComparedFamily[] {
  if (values.kubernetesVersions === undefined) return compared
  const names = pairOf('kubernetes-versions', values.kubernetesVersions)
  const options = toCompileOptions(cluster, values, familiesOf(values.family))
  return addVersionCauses(compared, createVersionExplainer(toCompileInput(cluster), options, names))
}

function compiledSides(names: Compared['names'], compileSide: (name: string) => CompileResult): Compared {
  const [first, second] = [compileSide(names[0]), compileSide(names[1])]
  return {
    names,
    a: toComparedStates(first),
    b: toComparedStates(second),
    results: [first, second],
    notes: [],
  }
}

function compiled(cluster: Cluster, values: Values): CompileResult {
  return compileCluster(cluster, values, familiesOf(values.family))
}

function pairOf(option: string, text: string): Compared['names'] {
  const [first, second, ...rest] = text.split(',').map((each) => each.trim())
  if (!first || !second || rest.length > 0)
    throw new UsageError(`option --${option} is ${text}; expected two, as in A,B`)
  return [first, second]
}

function readMode(name: string): ProxyMode {
  const mode = listModes().find((each) => each === name)
  if (mode === undefined)
    throw new UsageError(`option --modes has ${name}; expected ${formatAlternatives(listModes())}`)
  return mode
}

function familiesOf(choice: Values['family']): readonly IpFamily[] {
  return IP_FAMILIES.filter((family) => choice === undefined || choice === 'both' || family === `IPv${choice}`)
}
