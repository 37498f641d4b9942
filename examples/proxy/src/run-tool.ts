import { type ChildProcess, type ExecFileException, execFile } from 'node:child_process'

export interface ToolResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one tool. Rejects if it is missing (`code` is `ENOENT`), and if it ends by a signal or runs for too long. */
export type RunTool = (tool: string, args: readonly string[], input?: string) => Promise<ToolResult>

/** After how long a tool is killed, in milliseconds. iptables alone waits five seconds for its lock. */
const LIMIT = 60_000

const MOST_OUTPUT = { maxBuffer: 2 ** 30 }

export const runTool: RunTool = (tool, args, input = '') =>
  new Promise((resolve, reject) => {
    const child = execFile(tool, [...args], { ...MOST_OUTPUT, timeout: LIMIT }, resultTo(resolve, reject))
    child.stdin?.on('error', () => {}) // A failing tool may not read all of its input.
    child.stdin?.end(input)
  })

type Ended = (error: ExecFileException | null, stdout: string, stderr: string) => void

function resultTo(resolve: (result: ToolResult) => void, reject: (error: Error) => void): Ended {
  return (error, stdout, stderr) => {
    if (error !== null && typeof error.code !== 'number') reject(error)
    else resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr })
  }
}

/** What a waiting shell does: become the tool that the first line of its input names, and leave the rest to the tool. */
const BECOME_TOOL = 'IFS= read -r command && eval "exec $command"'

/** The status of a shell that does not find the tool. */
const NOT_FOUND = 127

/**
 * Returns a function that runs tools as `runTool` does, and starts the process of the next one in advance: to fork a program of the size
 * of Node.js takes about a sixth of the time of a small change. The last process ends with this one, when its input ends.
 */
export function createToolRunner(): RunTool {
  let waiting: { readonly child: ChildProcess; ended: Ended } | undefined

  function startShell(): void {
    if (waiting !== undefined) return
    const ended: Ended = (...result) => shell.ended(...result)
    const shell = { child: execFile('sh', ['-c', BECOME_TOOL], MOST_OUTPUT, ended), ended: forget }
    shell.child.stdin?.on('error', () => {})
    waiting = shell
  }

  /** Called when a shell ends before it has a tool. */
  const forget: Ended = () => {
    waiting = undefined
  }

  async function runIn(
    shell: NonNullable<typeof waiting>,
    words: readonly string[],
    input: string,
  ): Promise<ToolResult> {
    const timer = setTimeout(() => shell.child.kill(), LIMIT)
    const result = await new Promise<ToolResult>((resolve, reject) => {
      shell.ended = resultTo(resolve, reject)
      shell.child.stdin?.end(`${words.map(quote).join(' ')}\n${input}`)
    }).finally(() => clearTimeout(timer))
    if (result.status === NOT_FOUND) throw Object.assign(new Error(`${words[0]} is missing`), { code: 'ENOENT' })
    return result
  }

  return (tool, args, input = '') => {
    const [shell, words] = [waiting, [tool, ...args]]
    const isPlain = shell === undefined || words.some((word) => word.includes('\n'))
    if (!isPlain) waiting = undefined
    return (isPlain ? runTool(tool, args, input) : runIn(shell, words, input)).finally(startShell)
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** Runs a tool that may be missing or have nothing to print. Returns its output, and nothing if it fails. */
export async function outputOf(run: RunTool, tool: string, ...args: readonly string[]): Promise<string | undefined> {
  const { status, stdout } = await run(tool, args).catch(() => ({ status: 1, stdout: '' }))
  return status === 0 ? stdout : undefined
}

export function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
