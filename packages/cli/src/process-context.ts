import { spawn } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import type { CliContext, FileSystem, ToolOutput, Writer } from './cli-context.js'
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

/** Creates the context of the current process. */
export function createProcessContext(): CliContext {
  const progress = showsProgress() ? createProgress() : NO_PROGRESS
  return {
    args: process.argv.slice(2),
    env: process.env,
    stdout: streamWriter(process.stdout, progress),
    stderr: streamWriter(process.stderr, progress),
    files: diskFiles,
    readStdin: () => readToEnd(process.stdin),
    runTool,
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
}

async function runTool(tool: string, args: readonly string[]): Promise<ToolOutput> {
  const child = spawn(tool, args, { stdio: ['ignore', 'pipe', 'pipe'] })
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
