import { CLUSTER_QUERIES, type ClusterAnswers, createClusterSource } from '@kube-rules/application/cluster'
import { InputError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'
import { type Connection, queryCluster } from '../live/kubectl.js'
import type { ReadSources } from './read-sources.js'

/** The options that select a live cluster. */
export interface LiveInputOptions extends Connection {
  readonly cluster?: boolean | undefined
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
    const answer = await queryCluster(context, options, args)
    if (answer.ok) answers[name as keyof ClusterAnswers] = answer.value
    else if (isRequired) failures.push(`${objects}: ${answer.problem}`)
    else notes.push(`${objects} were not read: ${answer.problem}`)
  }
  if (failures.length > 0) throw new InputError('the cluster cannot be read', [], failures)
  const created = createClusterSource(answers, nodeName)
  return { sources: [created.source], unread: [], notes: [...notes, ...created.notes] }
}
