import { readdir, readFile, stat } from 'node:fs/promises'
import type { Context, FileSystem, Writer } from './context.js'

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

const diskFiles: FileSystem = {
  readFile: (path) => readFile(path),
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

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
