import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import type { Context, FileSystem, Writer } from './context.js'
import { createProgress, NO_PROGRESS, type Progress } from './progress.js'

/**
 * Maximum size of one input file: 500 MiB. A JavaScript string cannot be much longer, and no cluster is nearly as
 * large.
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
export function createProcessContext(): Context {
  const progress = showsProgress() ? createProgress() : NO_PROGRESS
  return {
    args: process.argv.slice(2),
    env: process.env,
    stdout: streamWriter(process.stdout, progress),
    stderr: streamWriter(process.stderr, progress),
    files: diskFiles,
    readStdin: () => readToEnd(process.stdin),
    startPhase: progress.start,
  }
}

/** Reports whether progress is shown: only to a person in front of a terminal. */
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

function streamWriter(stream: NodeJS.WriteStream, progress: Progress): Writer {
  // Every write reports its own error. Without a listener the same error would also be thrown, with its stack.
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
