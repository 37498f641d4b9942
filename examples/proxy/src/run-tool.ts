import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
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

export const runTool: RunTool = async (tool, args, input) => {
  const ended = promisify(execFile)(tool, [...args], { maxBuffer: 2 ** 30, timeout: LIMIT, killSignal: 'SIGKILL' })
  ended.child.stdin?.on('error', () => {}) // A failing tool may not read all of its input.
  if (ended.child.stdin) writeParts(ended.child.stdin, partsOf(input ?? ''), { end: true })
  try {
    return { status: 0, ...(await ended) }
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: unknown; stdout: string; stderr: string }
    if (typeof code !== 'number') throw error
    return { status: code, stdout, stderr }
  }
}

/** The exit status of a shell if the tool does not exist. */
const NOT_FOUND = 127

/**
 * Returns a function that runs tools like `runTool`, but as children of a shell, because forking a process as large as
 * Node.js takes more time than most tools need. The shell runs one tool at a time; meanwhile, other tools are started
 * without the shell. The shell ends with this process, which closes its input.
 */
export function createToolRunner(limit = LIMIT): RunTool {
  let shell: ReturnType<typeof startShell> | undefined
  let isBusy = false

  return async (tool, args, input = '') => {
    const isText = input === '' || input.endsWith('\n')
    if (isBusy || !isText || args.some((word) => word.includes('\n'))) return runTool(tool, args, input)
    isBusy = true
    try {
      const current =
        shell ??
        startShell(() => {
          if (shell === current) shell = undefined
        })
      shell = current
      const result = await current.run([tool, ...args].map(quote).join(' '), input, limit)
      if (result.status === NOT_FOUND) throw Object.assign(new Error(`${tool} is missing`), { code: 'ENOENT' })
      return result
    } finally {
      isBusy = false
    }
  }
}

/** Starts a shell that reads commands. After each command, it writes a mark to both of its outputs. */
function startShell(onEnd: () => void) {
  // The process group makes it possible to end the shell together with its tool.
  const child = spawn('sh', { detached: true })
  const mark = `end-${randomUUID()}`
  const outputs = { stdout: createOutput(mark), stderr: createOutput(mark) }
  let settle = (_error?: Error): void => {}
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (part: string) => {
      outputs[name].push(part)
      if (outputs.stdout.isComplete() && outputs.stderr.isComplete()) settle()
    })
  }
  child.stdin.on('error', () => {}) // The end of the process is an error, too.
  const end = (error: Error) => {
    onEnd()
    settle(error)
  }
  child.on('error', end)
  child.on('exit', () => end(new Error('the shell has ended')))

  async function run(command: string, input: string, limit: number): Promise<ToolResult> {
    const kill = () => {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null)
        process.kill(-child.pid, 'SIGKILL')
      end(new Error(`${command} has not ended after ${limit} ms`))
    }
    const timer = setTimeout(kill, limit)
    // If this process is killed while it writes, the shell runs nothing, because the closing brace is missing. Otherwise
    // it would run the tool with the first part of the input.
    const start = `{ ${command} ${input === '' ? '</dev/null' : `<<'${mark}'`}\n`
    const rest = `${input === '' ? '' : `${mark}\n`}printf '\\n%s %s\\n' $? ${mark}; printf '%s\\n' ${mark} >&2; }\n`
    writeParts(child.stdin, [start, ...partsOf(input), rest], { end: false })
    const ended = new Promise<void>((resolve, reject) => {
      settle = (error) => (error === undefined ? resolve() : reject(error))
    })
    await ended.finally(() => clearTimeout(timer))
    const [stdout, stderr] = [outputs.stdout.take(), outputs.stderr.take()]
    const at = stdout.lastIndexOf('\n', stdout.length - mark.length - 2)
    const status = Number.parseInt(stdout.slice(at + 1), 10)
    return { status, stdout: stdout.slice(0, at), stderr: stderr.slice(0, -mark.length - 1) }
  }

  return { run }
}

/** The least length of a part of an input. */
const PART = 65_536

/** Divides an input into parts that end with a line. */
function* partsOf(input: string): Generator<string> {
  for (let start = 0, end = 0; start < input.length; start = end) {
    const newline = input.indexOf('\n', start + PART)
    end = newline < 0 ? input.length : newline + 1
    yield input.slice(start, end)
  }
}

/** Writes each part when the reader has taken the earlier ones. Node.js would copy a text of 4 MB to a buffer of 12 MB. */
function writeParts(stdin: Writable, parts: Iterable<string>, options: { readonly end: boolean }): void {
  Readable.from(parts).pipe(stdin, options)
}

/** Collects an output until it ends with a mark. Only the end is compared: to join all parts each time would copy them. */
function createOutput(mark: string) {
  let parts: string[] = []
  let end = ''
  return {
    push: (part: string): void => {
      parts.push(part)
      end = (end + part).slice(-mark.length - 1)
    },
    isComplete: (): boolean => end === `${mark}\n`,
    take: (): string => {
      const text = parts.join('')
      ;[parts, end] = [[], '']
      return text
    },
  }
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
