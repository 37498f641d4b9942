import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readdir, stat, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { CliContext, FileSystem, ToolOptions, ToolOutput, Writer } from './cli-context.js'
import { createProgress, NO_PROGRESS, type Progress } from './progress.js'

/**
 * The maximum size of one input file: 500 MiB. JavaScript strings cannot be much longer than this, and the objects of
 * real clusters are much smaller.
 */
export const MAX_INPUT_BYTES: number = 500 * 2 ** 20

/**
 * Reads a stream to its end. Rejects as soon as it exceeds `limit` bytes, because devices such as `/dev/zero` never
 * end.
 */
export async function readToEnd(
  stream: AsyncIterable<Uint8Array>,
  limit: number = MAX_INPUT_BYTES,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw new Error(`longer than the limit of ${limit / 2 ** 20} MiB`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The name of the command as a plugin of kubectl. */
const PLUGIN = 'kubectl-kube_rules'

/** Creates the context of the current process. */
export function createProcessContext(): CliContext {
  const progress = showsProgress() ? createProgress() : NO_PROGRESS
  return {
    programName: basename(process.argv[1] ?? '') === PLUGIN ? 'kubectl kube-rules' : 'kube-rules',
    args: process.argv.slice(2),
    env: process.env,
    stdout: streamWriter(process.stdout, progress),
    stderr: streamWriter(process.stderr, progress),
    files: diskFiles,
    readStdin: () => readToEnd(process.stdin),
    runTool,
    confirm: async (question) => {
      await progress.stop()
      return confirm(question)
    },
    wait,
    withCleanUp,
    startPhase: progress.start,
  }
}

/** Reports whether progress is shown. It is shown only if a person uses a terminal. */
function showsProgress(): boolean {
  return process.stderr.isTTY === true && process.env.TERM !== 'dumb' && !process.env.CI
}

/** The number of bytes per read. Large reads are several times as fast as the small default reads of Node. */
const READ_BYTES = 2 ** 20

const diskFiles: FileSystem = {
  readFile: (path) => readToEnd(createReadStream(path, { highWaterMark: READ_BYTES })),
  isDirectory: async (path) => (await stat(path)).isDirectory(),
  listDirectory: (path) => readdir(path),
  writeFile: (path, text) => writeFile(path, text),
}

/** Prompts on standard error. Returns true for `y` and `yes`. */
async function confirm(question: string): Promise<boolean | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(?:es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim())
  } finally {
    terminal.close()
  }
}

/** The signals that end the command, with their numbers. */
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** Whether the process ends after the current clean-up. */
let isInterrupted = false

async function withCleanUp<Result>(work: () => Promise<Result>, cleanUp: () => Promise<void>): Promise<Result> {
  let cleaned: Promise<void> | undefined
  const cleanUpOnce = () => {
    cleaned ??= cleanUp()
    return cleaned
  }
  // Without listeners, the first signal would end the process at once.
  const stop = (signal: keyof typeof SIGNALS) => {
    isInterrupted = true
    cleanUpOnce().finally(() => process.exit(128 + SIGNALS[signal]))
  }
  const signals = Object.keys(SIGNALS) as (keyof typeof SIGNALS)[]
  for (const signal of signals) process.once(signal, stop)
  try {
    return await work()
  } finally {
    for (const signal of signals) process.off(signal, stop)
    await cleanUpOnce()
  }
}

async function runTool(
  tool: string,
  args: readonly string[],
  { input = '', ignoresInterrupts = false }: ToolOptions = {},
): Promise<ToolOutput> {
  // The process ends before the program could be of use.
  if (isInterrupted && !ignoresInterrupts) return new Promise(() => {})
  // A terminal sends an interruption to all processes of its foreground group.
  const child = spawn(tool, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: ignoresInterrupts })
  // A program may end before it has read its input.
  child.stdin.on('error', () => {})
  child.stdin.end(input)
  const exit = new Promise<number>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(code ?? 1))
  })
  const [exitCode, stdout, stderr] = await Promise.all([exit, readToEnd(child.stdout), readToEnd(child.stderr)])
  return { exitCode, stdout: Buffer.from(stdout).toString(), stderr: Buffer.from(stderr).toString() }
}

function streamWriter(stream: NodeJS.WriteStream, progress: Progress): Writer {
  // Every write reports its own error. Without an `error` listener, the stream would also throw the same error as an
  // uncaught exception.
  stream.on('error', () => {})
  return {
    isTTY: stream.isTTY === true,
    write: async (text) => {
      await progress.stop()
      await new Promise<void>((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()))
      })
    },
  }
}
