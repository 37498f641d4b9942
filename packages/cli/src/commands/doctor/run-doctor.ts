import {
  type Cluster,
  compileClusterNodes,
  findServiceErrors,
  mergeClusterDiagnostics,
  readConfigurationFile,
} from '@kube-rules/application/cluster'
import { printUnread } from '@kube-rules/application/compare'
import {
  createDoctor,
  formatNames,
  nameNodes,
  printDoctorJson,
  printDoctorReport,
  type UnreadNode,
} from '@kube-rules/application/doctor'
import { findReportedConfiguration, findReportedMode, readCurrentBackend } from '@kube-rules/application/dump'
import { createNodeFromCluster, createNodeFromResult, type ExplainedNode } from '@kube-rules/application/explain'
import { formatDiagnosticLines, InputError, UsageError } from '@kube-rules/application/messages'
import type { CliContext } from '../../cli-context.js'
import { loadCluster, withoutAssumptions } from '../../files/load-cluster.js'
import { isLive } from '../../files/load-live-cluster.js'
import type { OptionValues } from '../../options/option.js'
import { parseArguments } from '../../options/parse-arguments.js'
import { assertNoErrors, printMessages, writeIgnoringClosedPipe } from '../../report.js'
import { doctorOptions } from './doctor-options.js'
import { collectNodes, type DumpedNode, type ReadNode, readDumpedNodes } from './dumped-nodes.js'
import { createServiceFilter } from './service-filter.js'

type Values = OptionValues<typeof doctorOptions>

/** Runs `kube-rules doctor`. Standard output is written last. */
export async function runDoctor(context: CliContext): Promise<number> {
  const { values, operands } = parseArguments(doctorOptions, context.args)
  const [service, unexpected] = operands
  if (unexpected !== undefined) throw new UsageError(`unexpected argument ${unexpected}`)
  if (values.live && values.dump.length > 0) throw new UsageError('options --live and --dump cannot be combined')
  if (!values.live && values.debugImage !== undefined) throw new UsageError('option --debug-image is only for --live')
  if (values.filename.length === 0 && !values.live && !isLive(values)) {
    throw new UsageError('option -f, --cluster or --live is missing')
  }
  const { cluster, names, notRead } = await loadNodes(context, values)
  const unreadable = findServiceErrors(cluster.diagnostics).keys()
  const isChecked = createServiceFilter(service, values.namespace, cluster.services, unreadable)
  const doctor = createDoctor(isChecked)
  const unread: UnreadNode[] = []
  const messages = new Set<string>()
  let place = 0
  for await (const { nodeName, node, isDumped, problem, notes = [] } of checkedNodes(context, cluster, names, values)) {
    place++
    context.startPhase(`checking ${nodeName} (${place} of ${names.length})`)
    for (const note of notes) messages.add(`note: ${nodeName}: ${note}`)
    if (node === undefined) unread.push({ nodeName, problem })
    else {
      if (isDumped) for (const line of messagesOf(nodeName, node, cluster)) messages.add(line)
      doctor.add(nodeName, node, isDumped)
    }
  }
  const report = doctor.report()
  const diagnostics = report.nodes.length > 0 ? report.diagnostics : mergeClusterDiagnostics(cluster, [])
  if (values.strict) assertNoErrors(diagnostics)
  await printMessages(context, [
    ...formatDiagnosticLines(nameNodes(diagnostics), ' (-o json shows all)'),
    ...messages,
    ...unread.map(({ nodeName, problem }) => `warning: node ${nodeName} was not checked: ${problem}`),
    ...cluster.notes,
  ])
  const { assumed } = cluster
  const invalid = [...findServiceErrors(diagnostics).keys()].filter((name) => isChecked(`${name}/`)).sort()
  const text =
    values.output === 'json'
      ? printDoctorJson(report, { diagnostics, assumed, unread, notRead })
      : `${printDoctorReport(report, invalid)}${printUnread(notRead)}`
  await writeIgnoringClosedPipe(context, text)
  if (report.causes.some(({ kind }) => kind === 'lost')) return 1
  return unread.length + notRead.length + invalid.length > 0 || report.causes.some(({ kind }) => kind === 'unknown')
    ? 2
    : 0
}

/** Loads the objects, and the names of the nodes to check. */
async function loadNodes(context: CliContext, { node: chosen, namespace: _, ...values }: Values) {
  const isDumped = values.live || values.dump.length > 0
  const options = { ...values, cluster: values.cluster || values.live, node: chosen[0], isForAllNodes: true }
  const cluster = await loadCluster(context, isDumped ? withoutAssumptions(options) : options)
  return { cluster, names: chooseNodes(cluster, chosen), notRead: cluster.unread }
}

/**
 * Returns the names of the chosen nodes, or of all Nodes.
 *
 * @throws InputError if there are no Nodes and none is chosen, or if a chosen Node does not exist.
 */
function chooseNodes({ nodes }: Cluster, chosen: readonly string[]): readonly string[] {
  const known = nodes.flatMap(({ metadata }) => metadata?.name ?? [])
  if (known.length === 0 && chosen.length === 0) {
    throw new InputError('there are no Nodes among the objects (--node names one)')
  }
  const unknown = chosen.filter((name) => !known.includes(name))
  if (known.length > 0 && unknown.length > 0) {
    throw new InputError(`there is no Node ${formatNames(unknown)}; the Nodes are ${formatNames(known)}`)
  }
  return chosen.length > 0 ? [...new Set(chosen)] : known
}

interface CheckedNode {
  readonly nodeName: string
  readonly node?: ExplainedNode | undefined
  readonly isDumped: boolean
  readonly problem: string
  readonly notes?: readonly string[] | undefined
}

/** Computes the nodes one after the other, with their rules from dumps if there are any. */
async function* checkedNodes(
  context: CliContext,
  cluster: Cluster,
  names: readonly string[],
  values: Values,
): AsyncGenerator<CheckedNode> {
  const { mode, kubernetesVersion } = values
  if (!values.live && values.dump.length === 0) {
    for (const { nodeName, result } of compileClusterNodes(cluster, { mode, kubernetesVersion }, names)) {
      const node = createNodeFromResult(cluster, { mode, kubernetesVersion, node: nodeName }, result)
      yield { nodeName, node, isDumped: false, problem: '' }
    }
    return
  }
  for await (const read of values.live ? collectNodes(context, values, names) : dumpedNodes(context, names, values)) {
    yield createDumpedNode(cluster, read, values)
  }
}

async function* dumpedNodes(
  context: CliContext,
  names: readonly string[],
  { dump, node }: Values,
): AsyncGenerator<ReadNode> {
  const dumps = await readDumpedNodes(context, dump)
  for (const nodeName of names) {
    const found = dumps.find((each) => each.nodeName === nodeName)
    if (found !== undefined) yield found
    else if (node.length > 0) yield { nodeName, problem: 'it has no dump' }
  }
  for (const { nodeName } of dumps) {
    if (!names.includes(nodeName) && node.length === 0) yield { nodeName, problem: 'there is no Node of this name' }
  }
}

/**
 * Replaces the configuration by that of the node, unless the user passes one. The configuration that kube-proxy reports
 * has precedence over the flags of its Pod.
 */
function withOwnConfiguration(cluster: Cluster, node: DumpedNode, { config }: Values): Cluster {
  const { nodeName: name, text, configuration } = node
  const flags = { name: `the flags of kube-proxy on ${name}`, text: JSON.stringify(configuration) }
  const source = findReportedConfiguration({ name, text }) ?? (configuration === undefined ? undefined : flags)
  if (config !== undefined || source === undefined) return cluster
  const own = readConfigurationFile([source], source.name)
  return { ...cluster, ...own, diagnostics: [...cluster.diagnostics, ...own.diagnostics] }
}

function createDumpedNode(cluster: Cluster, read: ReadNode, values: Values): CheckedNode {
  const { nodeName, notes } = read
  if ('problem' in read) return { nodeName, isDumped: true, problem: read.problem, notes }
  try {
    const dump = readCurrentBackend([{ name: nodeName, text: read.text }])
    const { kubernetesVersion } = values
    const mode = values.mode ?? findReportedMode([{ text: read.text }])
    const own = withOwnConfiguration(cluster, read, values)
    const node = createNodeFromCluster(own, { mode, kubernetesVersion, node: nodeName }, dump)
    return { nodeName, node, isDumped: true, problem: '', notes }
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return { nodeName, isDumped: true, problem: error.message, notes }
  }
}

/** Returns the messages about the dump of a node, with the name of the node. */
function messagesOf(nodeName: string, { notes, caveats }: ExplainedNode, cluster: Cluster): readonly string[] {
  const own = [...caveats, ...notes.filter((note) => !cluster.notes.includes(note))]
  return own.map((line) => line.replace(/^(error|warning|note): /, `$1: ${nodeName}: `))
}
