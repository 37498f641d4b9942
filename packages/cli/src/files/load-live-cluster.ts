import { CLUSTER_QUERIES, type ClusterAnswers, createClusterSource } from '@kube-rules/application/cluster'
import { getSystemErrorCode, getSystemErrorReason, InputError } from '@kube-rules/application/messages'
import { quoteWords } from '@kube-rules/application/script'
import type { CliContext } from '../cli-context.js'
import type { ReadSources } from './read-sources.js'

/** The options that select a live cluster. */
export interface LiveInputOptions {
  readonly cluster?: boolean | undefined
  /** The context of kubectl. */
  readonly context?: string | undefined
  readonly kubeconfig?: string | undefined
}

/** Reports whether the objects are those of a live cluster. */
export function isLive({ cluster, context, kubeconfig }: LiveInputOptions): boolean {
  return cluster === true || context !== undefined || kubeconfig !== undefined
}

/**
 * Reads the objects of a live cluster with kubectl. Notes name the objects that are optional and could not be read.
 *
 * @throws InputError with one line for each kind of required objects that cannot be read.
 */
export async function readLiveCluster(
  context: CliContext,
  options: LiveInputOptions,
  nodeName: string | undefined,
): Promise<ReadSources> {
  context.startPhase('reading the cluster')
  const answers: { -readonly [Name in keyof ClusterAnswers]: unknown } = {}
  const failures: string[] = []
  const notes: string[] = []
  for (const [name, { name: objects, args, isRequired }] of Object.entries(CLUSTER_QUERIES)) {
    const answer = await runQuery(context, [...connectionArguments(options), ...args])
    if (answer.ok) answers[name as keyof ClusterAnswers] = answer.value
    else if (isRequired) failures.push(`${objects}: ${answer.problem}`)
    else notes.push(`${objects} were not read: ${answer.problem}`)
  }
  if (failures.length > 0) throw new InputError('the cluster cannot be read', [], failures)
  const created = createClusterSource(answers, nodeName)
  return { sources: [created.source], unread: [], notes: [...notes, ...created.notes] }
}

function connectionArguments({ context, kubeconfig }: LiveInputOptions): readonly string[] {
  return [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ]
}

type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

async function runQuery(context: CliContext, args: readonly string[]): Promise<Answer> {
  const command = quoteWords(['kubectl', ...args])
  const { exitCode, stdout, stderr } = await startKubectl(context, args)
  if (exitCode !== 0) return { ok: false, problem: `${lastLine(stderr)} (${command}, exit code ${exitCode})` }
  if (stdout.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(stdout) }
  } catch {
    return { ok: false, problem: `the output is not JSON (${command})` }
  }
}

async function startKubectl(context: CliContext, args: readonly string[]) {
  try {
    return await context.runTool('kubectl', args)
  } catch (error) {
    const isMissing = getSystemErrorCode(error) === 'ENOENT'
    throw new InputError(`kubectl: ${isMissing ? 'not installed, or not on PATH' : getSystemErrorReason(error)}`)
  }
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) || 'no error message'
}
