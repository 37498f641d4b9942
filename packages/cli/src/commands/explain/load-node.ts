import { createNodeFromCluster, createNodeFromDump, type ExplainedNode } from '@kube-rules/application/explain'
import { UsageError } from '@kube-rules/application/messages'
import { parseIp } from '@kube-rules/types/internal/ip'
import type { CliContext } from '../../cli-context.js'
import { loadCurrentBackend } from '../../files/load-backends.js'
import { assertStdinReadOnce, loadCluster, withDumpedNode } from '../../files/load-cluster.js'
import { isLive } from '../../files/load-live-cluster.js'
import type { OptionValues } from '../../options/option.js'
import { assertNoErrors } from '../../report.js'
import type { explainOptions } from './explain-options.js'

type Values = OptionValues<typeof explainOptions>

/**
 * Loads the node from `-f`, from `--dump`, or from both options.
 *
 * @throws UsageError if both options are missing, or if another option requires a missing option.
 */
export async function loadNode(context: CliContext, values: Values): Promise<ExplainedNode> {
  const { filename, dump, nodeAddress: addresses } = values
  const hasObjects = filename.length > 0 || isLive(values)
  if (hasObjects && addresses.length > 0) throw new UsageError('option --node-address is only for --dump without -f')
  if (!hasObjects && dump.length === 0) throw new UsageError('option -f, --cluster or --dump is missing')
  assertStdinReadOnce([...filename, ...dump, values.config, values.host])
  return hasObjects ? loadCompiledNode(context, values) : loadDumpedNode(context, values)
}

async function loadCompiledNode(context: CliContext, values: Values): Promise<ExplainedNode> {
  const { dump, strict, node: name } = values
  const live = dump.length === 0 ? undefined : await loadCurrentBackend(context, dump, { strict, node: name })
  const cluster = await loadCluster(context, live === undefined ? values : withDumpedNode(values, live))
  context.startPhase('computing rules')
  const node = createNodeFromCluster(cluster, values, live)
  if (strict) assertNoErrors(node.diagnostics)
  return node
}

async function loadDumpedNode(
  context: CliContext,
  { dump: paths, nodeAddress: texts, strict, node }: Values,
): Promise<ExplainedNode> {
  const addresses = texts.length === 0 ? undefined : texts.map(readAddress)
  return createNodeFromDump(await loadCurrentBackend(context, paths, { strict, node }), addresses)
}

function readAddress(text: string): string {
  const ip = parseIp(text)
  if (ip === undefined) throw new UsageError(`option --node-address is ${text}; expected an address`)
  return ip.text
}
