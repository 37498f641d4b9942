import type { CliContext, FileSystem, Writer } from '../../src/cli-context.js'
import { runCli } from '../../src/run-cli.js'

export interface Sandbox {
  readonly files?: Readonly<Record<string, string | Uint8Array>>
  readonly stdin?: string | Uint8Array
  readonly env?: Readonly<Record<string, string>>
  readonly stdoutIsTTY?: boolean
  readonly stderrIsTTY?: boolean
  /** The error of writes to standard output. */
  readonly stdoutError?: Error
  readonly stderrError?: Error
  /** Runs a program. Default: no program is installed. */
  readonly runTool?: CliContext['runTool']
  /** The answer of the user to questions. Default: there is no terminal. */
  readonly answer?: boolean
  /** The questions to the user, in order. */
  readonly questions?: string[]
  /** The written files by path. */
  readonly written?: Record<string, string>
}

export interface Outcome {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command line in this process, in its own sandbox. */
export async function run(args: readonly string[], sandbox: Sandbox = {}): Promise<Outcome> {
  const stdout: string[] = []
  const stderr: string[] = []
  const context: CliContext = {
    ...unattended,
    args,
    env: sandbox.env ?? {},
    stdout: memoryWriter(stdout, sandbox.stdoutIsTTY ?? false, sandbox.stdoutError),
    stderr: memoryWriter(stderr, sandbox.stderrIsTTY ?? false, sandbox.stderrError),
    files: memoryFiles(sandbox.files ?? {}, sandbox.written),
    readStdin: async () => toBytes(sandbox.stdin ?? ''),
    runTool: sandbox.runTool ?? runMissingTool,
    confirm: async (question) => {
      sandbox.questions?.push(question)
      return sandbox.answer
    },
    startPhase: () => {},
  }
  const exitCode = await runCli(context)
  return { exitCode, stdout: stdout.join(''), stderr: stderr.join('') }
}

/** A user without a terminal, who never interrupts the command. */
export const unattended: Pick<CliContext, 'confirm' | 'wait' | 'withCleanUp'> = {
  confirm: async () => undefined,
  wait: async () => {},
  withCleanUp: (work, cleanUp) => work().finally(cleanUp),
}

/** Runs a program on a machine without programs. */
export const runMissingTool: CliContext['runTool'] = async (tool) => {
  throw systemError('ENOENT', 'no such file or directory', tool)
}

function memoryWriter(texts: string[], isTTY: boolean, error?: Error): Writer {
  return {
    isTTY,
    write: async (text) => {
      if (error) throw error
      texts.push(text)
    },
  }
}

/**
 * Builds an in-memory file system from files by path. A directory is a prefix of file paths, or a path that ends in `/`
 * if it is empty.
 */
export function memoryFiles(
  files: Readonly<Record<string, string | Uint8Array>>,
  written: Record<string, string> = {},
): FileSystem {
  const paths = Object.keys(files)
  const isDirectory = (path: string) => paths.some((other) => other.startsWith(`${path}/`))
  return {
    writeFile: async (path, text) => {
      written[path] = text
    },
    readFile: async (path) => {
      const content = files[path]
      if (content === undefined) throw systemError('ENOENT', 'no such file or directory', path)
      return toBytes(content)
    },
    isDirectory: async (path) => {
      if (files[path] === undefined && !isDirectory(path))
        throw systemError('ENOENT', 'no such file or directory', path)
      return isDirectory(path)
    },
    listDirectory: async (directory) => {
      const inside = paths.filter((path) => path.startsWith(`${directory}/`))
      return [...new Set(inside.map((path) => path.slice(directory.length + 1).split('/')[0] ?? ''))]
    },
  }
}

/** Creates an error like the errors of `node:fs` and streams. */
export function systemError(code: string, reason: string, path = ''): Error {
  return Object.assign(new Error(`${code}: ${reason}, open '${path}'`), { code })
}

function toBytes(content: string | Uint8Array): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content
}
