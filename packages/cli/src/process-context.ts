import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import type { Context, FileSystem, Writer } from './context.js'

/** The most that is read of one file: 500 MiB. JavaScript holds no text much longer, and no cluster comes near. */
export const MAX_INPUT_BYTES: number = 500 * 2 ** 20

/** All that a stream gives. Rejects as soon as that is more than `limit` bytes: devices such as `/dev/zero` never end. */
export async function readAll(stream: AsyncIterable<Uint8Array>, limit: number = MAX_INPUT_BYTES): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > limit) throw new Error(`longer than the ${limit / 2 ** 20} MiB that are read at most`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The context of this very process. */
export function processContext(): Context {
  return {
    args: process.argv.slice(2),
    env: process.env,
    stdout: streamWriter(process.stdout),
    stderr: streamWriter(process.stderr),
    files: diskFiles,
    readStdin: () => readAll(process.stdin),
  }
}

/** Large reads are several times as quick as Node's small ones. */
const READ_BYTES = 2 ** 20

const diskFiles: FileSystem = {
  readFile: (path) => readAll(createReadStream(path, { highWaterMark: READ_BYTES })),
  isDirectory: async (path) => (await stat(path)).isDirectory(),
  listDirectory: (path) => readdir(path),
}

function streamWriter(stream: NodeJS.WriteStream): Writer {
  // Every write reports its own error; without a listener the same error would also be thrown with its stack.
  stream.on('error', () => {})
  return {
    isTTY: stream.isTTY === true,
    write: (text) =>
      new Promise((resolve, reject) => {
        stream.write(text, (error) => (error ? reject(error) : resolve()))
      }),
  }
}
