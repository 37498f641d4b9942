import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

// A disposable machine with its own network, mounts and processes. Names of namespaces and the lock of the legacy tools
// are in a private /run. This isolates the machine completely, and nothing remains however the test ends.

export interface Ran {
  /** Null if the command did not start or was killed. */
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command to its end, with a text as standard input. */
export type CommandExecutor = (command: readonly string[], input?: string) => Promise<Ran>

export interface Sandbox {
  readonly run: CommandExecutor
  /** Starts a command that runs as long as the sandbox, and waits for its first line. */
  readonly start: (command: readonly string[]) => Promise<void>
  /** Ends all of its processes. */
  readonly close: () => Promise<void>
}

const AGENT = fileURLToPath(new URL('agent.mjs', import.meta.url))
const SETUP = 'mount -t tmpfs tmpfs /run; mkdir -p /run/netns /run/lock; exec "$@"'

/**
 * Returns the command that starts a sandbox with a time limit in seconds. Users other than root get a user namespace
 * with root rights.
 */
export function sandboxCommand(seconds: number): readonly [string, ...string[]] {
  const asRoot = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc']
  const agent = [process.execPath, AGENT, String(seconds)]
  return ['unshare', ...asRoot, ...namespaces, '--', 'sh', '-ec', SETUP, 'sandbox', ...agent]
}

export function openSandbox({ seconds = 3600 }: { readonly seconds?: number } = {}): Sandbox {
  const [program, ...args] = sandboxCommand(seconds)
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

/** Returns the result of all pending commands at the end of the sandbox. */
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

/** Throws the error output of a command if it failed or printed any. */
export function succeeded({ status, stderr }: Ran): void {
  if (status !== 0 || stderr !== '') throw new Error(`status ${status}: ${stderr}`)
}

/** Runs commands in a network namespace of `ip netns`. */
export function within({ run }: Pick<Sandbox, 'run'>, namespace: string): CommandExecutor {
  return (command, input) => run(['nsenter', `--net=/run/netns/${namespace}`, '--', ...command], input)
}

/** Runs an action in a new network namespace, and deletes it afterwards. */
export async function inNewNamespace<Result>(
  sandbox: Sandbox,
  act: (run: CommandExecutor) => Promise<Result>,
): Promise<Result> {
  const name = `namespace-${namespaces++}`
  succeeded(await sandbox.run(['ip', 'netns', 'add', name]))
  try {
    return await act(within(sandbox, name))
  } finally {
    await sandbox.run(['ip', 'netns', 'delete', name])
  }
}

let namespaces = 0

/** Runs a shell script in a temporary network namespace. */
export function inFreshNamespace({ run }: Pick<Sandbox, 'run'>, script: string, input = ''): Promise<Ran> {
  return run(['unshare', '--net', '--', 'sh', '-ec', script], input)
}
