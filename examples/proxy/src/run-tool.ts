import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

export interface ToolResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one tool. Rejects if it is missing (`code` is `ENOENT`), and if it ends by a signal or runs for too long. */
export type RunTool = (tool: string, args: readonly string[], input?: string) => Promise<ToolResult>

/** The time after which a tool is killed, in milliseconds. iptables alone may wait five seconds for its lock. */
const LIMIT = 60_000

/** Starts a process that waits for its input. */
function start(tool: string, args: readonly string[], timeout = 0) {
  const ended = promisify(execFile)(tool, [...args], { maxBuffer: 2 ** 30, timeout })
  ended.child.stdin?.on('error', () => {}) // A failing tool may not read all of its input.
  const result = ended.then(
    (output): ToolResult => ({ status: 0, ...output }),
    (error): ToolResult => {
      if (typeof error.code !== 'number') throw error
      return { status: error.code, stdout: error.stdout, stderr: error.stderr }
    },
  )
  return { child: ended.child, result }
}

export const runTool: RunTool = (tool, args, input) => {
  const { child, result } = start(tool, args, LIMIT)
  child.stdin?.end(input)
  return result
}

/**
 * The script of a waiting shell: it reads the command from the first line of its input, and replaces itself by the
 * tool, which gets the rest of the input.
 */
const BECOME_TOOL = 'IFS= read -r command && eval "exec $command"'

/** The exit status of a shell if the tool does not exist. */
const NOT_FOUND = 127

/**
 * Returns a function that runs tools like `runTool`, but starts the process for the next tool in advance, because
 * forking a process as large as Node.js takes about a sixth of the time of a small change. The waiting process ends
 * with this one, when its input ends.
 */
export function createToolRunner(): RunTool {
  let waiting: ReturnType<typeof start> | undefined

  function startShell(): void {
    if (waiting !== undefined) return
    const shell = start('sh', ['-c', BECOME_TOOL])
    // A shell may end before it has a tool.
    const forget = () => {
      if (waiting === shell) waiting = undefined
    }
    shell.result.then(forget, forget)
    waiting = shell
  }

  async function runInShell(tool: string, args: readonly string[], input = ''): Promise<ToolResult> {
    const [shell, words] = [waiting, [tool, ...args]]
    if (shell === undefined || words.some((word) => word.includes('\n'))) return runTool(tool, args, input)
    waiting = undefined
    const timer = setTimeout(() => shell.child.kill(), LIMIT)
    shell.child.stdin?.end(`${words.map(quote).join(' ')}\n${input}`)
    const result = await shell.result.finally(() => clearTimeout(timer))
    if (result.status === NOT_FOUND) throw Object.assign(new Error(`${tool} is missing`), { code: 'ENOENT' })
    return result
  }

  return (...command) => runInShell(...command).finally(startShell)
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Runs a tool that may be missing or have nothing to print. Returns its output; an empty text if it fails. */
export async function outputOf(run: RunTool, tool: string, ...args: readonly string[]): Promise<string | undefined> {
  const { status, stdout } = await run(tool, args).catch(() => ({ status: 1, stdout: '' }))
  return status === 0 ? stdout : undefined
}

export function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
