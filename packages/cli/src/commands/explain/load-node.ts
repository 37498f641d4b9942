import { type ExplainedNode, nodeOfCluster, nodeOfDump } from '@kube-rules/application/explain'
import { UsageError } from '@kube-rules/application/messages'
import { parseIp } from '@kube-rules/types/internal/ip'
import type { Context } from '../../context.js'
import { loadMainBackend } from '../../files/load-backends.js'
import { assumeNothing, loadCluster, rejectRepeatedStdin } from '../../files/load-cluster.js'
import type { OptionValues } from '../../options/option.js'
import { rejectErrors } from '../../report.js'
import type { explainOptions } from './explain-options.js'

type Values = OptionValues<typeof explainOptions>

/**
 * Loads the node from `-f`, from `--dump`, or from both options.
 *
 * @throws UsageError if both options are missing, or if another option requires a missing option.
 */
export async function loadNode(context: Context, values: Values): Promise<ExplainedNode> {
  const { filename, dump, nodeAddress: addresses } = values
  if (filename.length > 0 && addresses.length > 0)
    throw new UsageError('option --node-address is only for --dump without -f')
  if (filename.length === 0 && dump.length === 0) throw new UsageError('option -f or --dump is missing')
  rejectRepeatedStdin([...filename, ...dump, values.config, values.host])
  return filename.length === 0 ? loadDumpedNode(context, values) : loadCompiledNode(context, values)
}

async function loadCompiledNode(context: Context, values: Values): Promise<ExplainedNode> {
  const { dump, strict } = values
  const cluster = await loadCluster(context, dump.length > 0 ? assumeNothing(values) : values)
  const live = dump.length === 0 ? undefined : await loadMainBackend(context, dump, { strict })
  context.startPhase('computing rules')
  const node = nodeOfCluster(cluster, values, live)
  if (strict) rejectErrors(node.diagnostics)
  return node
}

async function loadDumpedNode(
  context: Context,
  { dump: paths, nodeAddress: texts, strict }: Values,
): Promise<ExplainedNode> {
  const addresses = texts.length === 0 ? undefined : texts.map(readAddress)
  return nodeOfDump(await loadMainBackend(context, paths, { strict }), addresses)
}

function readAddress(text: string): string {
  const ip = parseIp(text)
  if (ip === undefined) throw new UsageError(`option --node-address is ${text}; expected an address`)
  return ip.text
}
