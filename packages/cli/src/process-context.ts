import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import type { Context, FileSystem, Writer } from './context.js'
import { readAll } from './read-all.js'

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
