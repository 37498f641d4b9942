import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// A throw-away machine: its own network, mounts and processes. Names of namespaces and the lock of the legacy tools are
// in a private /run, so that nothing is read or changed outside, and nothing is left behind, whatever ends the test.

export interface Ran {
  /** Null where the command could not be started or was ended. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end, with a text as standard input. */
export type Run = (command: readonly string[], input?: string) => Promise<Ran>

export interface World {
  readonly run: Run
  /** Starts a command that stays as long as the world, and waits for its first line. */
  readonly start: (command: readonly string[]) => Promise<void>
  /** Ends everything in it. */
  readonly close: () => Promise<void>
}

const AGENT = fileURLToPath(new URL('agent.mjs', import.meta.url))
const SETUP = 'mount -t tmpfs tmpfs /run; mkdir -p /run/netns /run/lock; exec "$@"'

/** What starts a world that ends by itself after so many seconds. Not root: in a user namespace, in which one is. */
export function worldCommand(seconds: number): readonly [string, ...string[]] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const agent = [process.execPath, AGENT, String(seconds)]
  return ['unshare', ...asRoot, ...namespaces, '--', 'sh', '-ec', SETUP, 'world', ...agent]
}

export function openWorld({ seconds = 3600 }: { readonly seconds?: number } = {}): World {
  const [program, ...args] = worldCommand(seconds)
  const child = spawn(program, args, { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } })
  const waiting = new Map<number, (ran: Ran) => void>()
  const ended = endOf(child, waiting)
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, ...ran } = JSON.parse(line)
    waiting.get(id)?.(ran)
    waiting.delete(id)
  })
  let requests = 0
  const ask = async (request: object): Promise<Ran> => {
    const id = requests++
    const answer = new Promise<Ran>((resolve) => waiting.set(id, resolve))
    child.stdin.write(`${JSON.stringify({ id, ...request })}\n`)
    return Promise.race([answer, ended])
  }
  return {
    run: (command, input) => ask({ command, input }),
    start: async (command) => succeeded(await ask({ command, stays: true })),
    close: async () => {
      child.stdin.end()
      await ended
    },
  }
}

/** What every command comes to that has no answer when the world ends. */
function endOf(child: ReturnType<typeof spawn>, waiting: Map<number, unknown>): Promise<Ran> {
  let stderr = ''
  child.stderr?.on('data', (data) => {
    stderr += data
  })
  child.stdin?.on('error', () => {})
  return new Promise((resolve) => {
    const end = (reason: string) => {
      waiting.clear()
      resolve({ status: null, stdout: '', stderr: stderr.trim() || reason })
    }
    child.on('error', (error) => end(error.message))
    child.on('close', (status) => end(`the namespace ended with status ${status}`))
  })
}

/** Throws what a command said where it failed or complained. */
export function succeeded({ status, stderr }: Ran): void {
  if (status !== 0 || stderr !== '') throw new Error(`status ${status}: ${stderr}`)
}

/** Runs commands in a network namespace that `ip netns` made. */
export function within({ run }: Pick<World, 'run'>, namespace: string): Run {
  return (command, input) => run(['nsenter', `--net=/run/netns/${namespace}`, '--', ...command], input)
}

/** Does something in a network namespace of its own, which is gone afterwards. */
export async function inNewNamespace<Result>(world: World, act: (run: Run) => Promise<Result>): Promise<Result> {
  const name = `namespace-${namespaces++}`
  succeeded(await world.run(['ip', 'netns', 'add', name]))
  try {
    return await act(within(world, name))
  } finally {
    await world.run(['ip', 'netns', 'delete', name])
  }
}

let namespaces = 0

/** Runs a shell script in a network namespace of its own, which ends with it. */
export function inFreshNamespace({ run }: Pick<World, 'run'>, script: string, input = ''): Promise<Ran> {
  return run(['unshare', '--net', '--', 'sh', '-ec', script], input)
}
