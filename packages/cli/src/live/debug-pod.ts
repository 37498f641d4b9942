import { readPodFacts } from '@kube-rules/application/cluster'
import { InputError } from '@kube-rules/application/messages'
import type { CliContext } from '../cli-context.js'
import { printMessages } from '../report.js'
import { type Connection, lastLine, queryCluster, runKubectl } from './kubectl.js'
import { readScriptOutput, type ScriptOutput } from './run-script.js'

/** A Pod that `kubectl debug` creates on a node. */
interface DebugPod {
  readonly nodeName: string
  readonly image: string
}

const NAMESPACE = ['-n', 'kube-system']

/** The host tools of K3s are in none of the usual directories. */
const HOST_SHELL = 'PATH=$PATH:/usr/sbin:/sbin:/var/lib/rancher/k3s/data/current/bin/aux exec /bin/sh'

/**
 * Runs the script of `collect` in a debugging Pod on a node: first with the tools of the image, and if they do not read
 * everything, with the tools of the node. The Pod is deleted at the end, also after a failure or an interruption. It
 * stops by itself after ten minutes.
 *
 * @throws InputError if the Pod cannot be created.
 */
export async function runInDebugPod(
  context: CliContext,
  connection: Connection,
  pod: DebugPod,
  script: string,
): Promise<readonly ScriptOutput[]> {
  let created: Promise<Created> | undefined
  const work = async (): Promise<readonly ScriptOutput[]> => {
    created = createPod(context, connection, pod)
    const { name, problem } = await created
    if (name === undefined || problem !== undefined)
      throw new InputError(`kubectl debug node/${pod.nodeName}: ${problem}`)
    await waitUntilRunning(context, connection, name)
    const run = async (place: string, command: readonly string[]) =>
      readScriptOutput(
        place,
        await runKubectl(context, connection, ['exec', '-i', name, ...NAMESPACE, '--', ...command], { input: script }),
      )
    const own = await run(`image ${pod.image}`, ['sh'])
    if (own.ok && own.unread.length === 0) return [own]
    return [own, await run(`node ${pod.nodeName}`, ['chroot', '/host', '/bin/sh', '-c', HOST_SHELL])]
  }
  return context.withCleanUp(work, async () => {
    const { name } = (await created?.catch(() => undefined)) ?? {}
    if (name !== undefined) await deletePod(context, connection, name)
  })
}

/** The name of the Pod as far as kubectl printed it, and the problem if kubectl failed. */
interface Created {
  readonly name: string | undefined
  readonly problem?: string
}

async function createPod(context: CliContext, connection: Connection, { nodeName, image }: DebugPod): Promise<Created> {
  // An interruption must not stop kubectl between the creation of the Pod and the message with its name.
  const { exitCode, stdout, stderr } = await runKubectl(
    context,
    connection,
    ['debug', `node/${nodeName}`, `--image=${image}`, '--profile=sysadmin', ...NAMESPACE, '--', 'sleep', '600'],
    { ignoresInterrupts: true },
  )
  const [, name] = /^Creating debugging pod ([a-z0-9.-]+) /m.exec(`${stdout}\n${stderr}`) ?? []
  if (exitCode !== 0) return { name, problem: `${lastLine(stderr)} (exit code ${exitCode})` }
  return name === undefined ? { name, problem: 'printed no name of a Pod' } : { name }
}

/** The number of seconds until the image must have been pulled. */
const SECONDS = 60

async function waitUntilRunning(context: CliContext, connection: Connection, name: string): Promise<void> {
  context.startPhase(`waiting for Pod ${name}`)
  let state = 'unknown'
  for (let second = 0; second < SECONDS; second++) {
    const answer = await queryCluster(context, connection, ['get', 'pod', name, ...NAMESPACE, '-o', 'json'])
    if (!answer.ok) throw new InputError(`Pod ${name}: ${answer.problem}`)
    state = readPodFacts(answer.value).phase ?? state
    if (state === 'Running') return
    if (state === 'Failed' || state === 'Succeeded') break
    await context.wait(1_000)
  }
  throw new InputError(`Pod ${name} does not run after ${SECONDS} s: phase ${state}; does its image have sh and sleep?`)
}

async function deletePod(context: CliContext, connection: Connection, name: string): Promise<void> {
  const args = ['delete', 'pod', name, ...NAMESPACE, '--now', '--wait=false', '--ignore-not-found']
  const { exitCode, stderr } = await runKubectl(context, connection, args, { ignoresInterrupts: true })
  if (exitCode === 0) return
  await printMessages(context, [
    `warning: Pod ${name} was not deleted: ${lastLine(stderr)}; kubectl delete pod ${name} ${NAMESPACE.join(' ')}`,
  ])
}
