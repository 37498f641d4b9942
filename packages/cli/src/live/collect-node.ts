import { CLUSTER_QUERIES, findProxyPod, listItems, readPodFacts } from '@kube-rules/application/cluster'
import { InputError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'
import { createCollectScript } from './collect-script.js'
import { runInDebugPod } from './debug-pod.js'
import { type Connection, queryCluster, runKubectl, runTool } from './kubectl.js'
import { chooseOutput, readScriptOutput, type ScriptOutput } from './run-script.js'

/** The options that select how the rules of a node are read. */
export interface CollectOptions extends Connection {
  /** The image of a debugging Pod, for nodes without a usable Pod of kube-proxy. */
  readonly debugImage?: string | undefined
  /** Whether the debugging Pod is created without a question. */
  readonly yes?: boolean | undefined
  /** The host of ssh. */
  readonly ssh?: string | undefined
  /** Whether UDP connections are read too. */
  readonly connections?: boolean
}

/** The rules of a node, and notes without a `note: ` prefix. */
export interface CollectedNode {
  readonly nodeName: string
  readonly text: string
  readonly notes: readonly string[]
}

/**
 * Reads the Pods of kube-proxy. Problems are no failures, because there are other ways to read a node.
 */
export async function readProxyPods(context: CliContext, connection: Connection): Promise<readonly unknown[]> {
  const pods: unknown[] = []
  for (const { args } of [CLUSTER_QUERIES.pods, CLUSTER_QUERIES.staticPods]) {
    const answer = await queryCluster(context, connection, args)
    if (answer.ok) pods.push(...listItems(answer.value))
  }
  return pods
}

/**
 * Reads the rules of a node: with `ssh` from the host of this option, else in the Pod of kube-proxy on the node, and if this Pod does
 * not exist or cannot read everything, in a debugging Pod with the image that the user names.
 *
 * @throws InputError if no rules can be read.
 */
export async function collectNode(
  context: CliContext,
  options: CollectOptions,
  nodeName: string,
  proxyPods: readonly unknown[],
): Promise<CollectedNode> {
  context.startPhase(`reading the rules of ${nodeName}`)
  const script = createCollectScript(options)
  if (options.ssh !== undefined) return chosen(nodeName, [await runOverSsh(context, options.ssh, script)], options)
  const outputs = [await runInProxyPod(context, options, findProxyPod(proxyPods, nodeName), script)]
  const isComplete = outputs.every((output) => output.ok && output.unread.length === 0)
  if (!isComplete && options.debugImage !== undefined) {
    await confirmDebugPod(context, options, nodeName, options.debugImage)
    outputs.push(...(await runInDebugPod(context, options, { nodeName, image: options.debugImage }, script)))
  }
  return chosen(nodeName, outputs, options)
}

function chosen(nodeName: string, outputs: readonly ScriptOutput[], options: CollectOptions): CollectedNode {
  const best = chooseOutput(outputs)
  const hint = options.ssh === undefined && options.debugImage === undefined ? `; ${OTHER_WAYS}` : ''
  if (best === undefined) {
    const problems = outputs.flatMap((output) => (output.ok ? [] : [`${output.place}: ${output.problem}`]))
    throw new InputError(`the rules of node ${nodeName} cannot be read${hint}`, [], problems)
  }
  const { text, unread, place } = best
  const notes = unread.length === 0 ? [] : [`${place}: not read: ${unread.join(', ')}${hint}`]
  return { nodeName, text, notes }
}

const OTHER_WAYS = '--debug-image IMAGE reads them in a debugging Pod, --ssh HOST with ssh'

async function runInProxyPod(
  context: CliContext,
  connection: Connection,
  pod: unknown,
  script: string,
): Promise<ScriptOutput> {
  const { name, containers } = readPodFacts(pod)
  if (name === undefined) return { ok: false, place: 'Pod of kube-proxy', problem: 'not found on this node' }
  const container = containers.includes('kube-proxy') ? ['-c', 'kube-proxy'] : []
  const args = ['exec', '-i', name, '-n', 'kube-system', ...container, '--', 'sh']
  return readScriptOutput(`Pod ${name}`, await runKubectl(context, connection, args, { input: script }))
}

/** Runs a shell as root. The user may be root, or may use sudo without a password. */
const ROOT_SHELL = 'if [ "$(id -u)" = 0 ]; then exec sh; else exec sudo -n sh; fi'

async function runOverSsh(context: CliContext, host: string, script: string): Promise<ScriptOutput> {
  return readScriptOutput(`ssh ${host}`, await runTool(context, 'ssh', ['--', host, ROOT_SHELL], { input: script }))
}

/**
 * Lets the user confirm the creation of a debugging Pod.
 *
 * @throws InputError if the user does not agree, or if there is no terminal.
 */
async function confirmDebugPod(
  context: CliContext,
  { yes }: CollectOptions,
  nodeName: string,
  image: string,
): Promise<void> {
  if (yes) return
  const plan = `a privileged Pod with image ${image} on node ${nodeName} (namespace kube-system), and deletes it again`
  const answer = await context.confirm(`This creates ${plan}. Continue?`)
  if (answer === undefined) throw new InputError(`--debug-image creates ${plan}; --yes agrees without a terminal`)
  if (!answer) throw new InputError('no debugging Pod was created')
}
