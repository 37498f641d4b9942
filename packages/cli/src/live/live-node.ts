import { createCollectedFile, type TextSource } from '@kube-rules/application/cluster'
import { findReportedConfiguration, findReportedMode } from '@kube-rules/application/dump'
import { UsageError } from '@kube-rules/application/messages'
import type { ProxyMode } from '@kube-rules/compiler'
import type { CliContext } from '../cli-context.js'
import { isLive, type LiveInputOptions, readLiveCluster } from '../files/load-live-cluster.js'
import { printMessages } from '../report.js'
import { type CollectedNode, type CollectOptions, collectNode, readProxyPods } from './collect-node.js'

/** The options of commands that can read the rules of a live node. */
export interface LiveNodeOptions extends LiveInputOptions, CollectOptions {
  /** The name of the node. */
  readonly live?: string | undefined
  readonly node?: string | undefined
}

interface DumpedNodeOptions extends LiveNodeOptions {
  readonly dump: readonly string[]
  readonly config?: string | undefined
  readonly mode?: ProxyMode | undefined
}

/** A context and options of a command after the rules of the live node were read. */
interface LiveNode<Values> {
  readonly context: CliContext
  readonly values: Values
}

/**
 * Reads the rules of the node of `--live`. Returns options with `--cluster`, `--node`, `--dump`, and the mode and the
 * configuration that kube-proxy reports, and a context with the files of `--dump` and `--config`. Without `--live`, returns
 * the arguments.
 *
 * @throws UsageError if options contradict each other.
 * @throws InputError if no rules can be read.
 */
export async function readLiveNode<Values extends DumpedNodeOptions>(
  context: CliContext,
  values: Values,
): Promise<LiveNode<Values>> {
  assertConsistent(values)
  if (values.live === undefined) return { context, values }
  if (values.dump.length > 0) throw new UsageError('options --live and --dump cannot be combined')
  const { text } = await collectLiveNode(context, values, values.live)
  const name = `node ${values.live}`
  const reported = findReportedConfiguration({ name, text })
  if (reported !== undefined && values.config === undefined)
    await printMessages(context, [`note: ${reported.name} has precedence over other configurations of kube-proxy`])
  return {
    context: withFiles(context, [{ name, text }, ...(reported === undefined ? [] : [reported])]),
    values: {
      ...values,
      cluster: true,
      node: values.live,
      dump: [name],
      mode: values.mode ?? findReportedMode([{ text }]),
      config: values.config ?? reported?.name,
    },
  }
}

/**
 * Writes the objects of the live cluster, and the rules of the node of `--live`, to one file or to standard output (`-`).
 *
 * @throws UsageError if no cluster is selected.
 */
export async function writeCollectedFile(context: CliContext, values: LiveNodeOptions, path: string): Promise<number> {
  assertConsistent(values)
  const { live, node } = values
  if (live === undefined && !isLive(values)) throw new UsageError('option --live or --cluster is missing')
  const dumps = live === undefined ? [] : [await collectLiveNode(context, values, live)]
  const { sources, notes } = await readLiveCluster(context, values, live ?? node)
  await printMessages(
    context,
    notes.map((note) => `note: ${note}`),
  )
  const text = createCollectedFile(sources[0]?.text ?? '', dumps)
  if (path === '-') await context.stdout.write(text)
  else await context.files.writeFile(path, text)
  return 0
}

async function collectLiveNode(context: CliContext, options: LiveNodeOptions, name: string): Promise<CollectedNode> {
  const pods = options.ssh === undefined ? await readProxyPods(context, options) : []
  const collected = await collectNode(context, options, name, pods)
  await printMessages(
    context,
    collected.notes.map((note) => `note: ${note}`),
  )
  return collected
}

function assertConsistent({ live, node, ssh, debugImage, yes }: LiveNodeOptions): void {
  const only = [ssh !== undefined && '--ssh', debugImage !== undefined && '--debug-image', yes && '--yes']
  const [option] = only.filter((each) => typeof each === 'string')
  if (live === undefined && option !== undefined) throw new UsageError(`option ${option} is only for --live`)
  if (ssh !== undefined && debugImage !== undefined)
    throw new UsageError('options --ssh and --debug-image cannot be combined')
  if (live !== undefined && node !== undefined && live !== node)
    throw new UsageError('options --live and --node name different nodes')
}

function withFiles(context: CliContext, sources: readonly TextSource[]): CliContext {
  const { files } = context
  const texts = new Map(sources.map(({ name, text }) => [name, text]))
  return {
    ...context,
    files: {
      ...files,
      isDirectory: async (path) => !texts.has(path) && files.isDirectory(path),
      readFile: async (path) => {
        const text = texts.get(path)
        return text === undefined ? files.readFile(path) : new TextEncoder().encode(text)
      },
    },
  }
}
