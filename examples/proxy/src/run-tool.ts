import { execFile } from 'node:child_process'

export interface ToolResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs one tool. Rejects if it is missing (`code` is `ENOENT`), and if it ends by a signal or runs for too long. */
export type RunTool = (tool: string, args: readonly string[], input?: string) => Promise<ToolResult>

/** After how long a tool is killed, in milliseconds. iptables alone waits five seconds for its lock. */
const LIMIT = 60_000

export const runTool: RunTool = (tool, args, input = '') =>
  new Promise((resolve, reject) => {
    const child = execFile(tool, [...args], { maxBuffer: 2 ** 30, timeout: LIMIT }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== 'number') reject(error)
      else resolve({ status: Number(error?.code ?? 0), stdout, stderr })
    })
    child.stdin?.on('error', () => {}) // A failing tool may not read all of its input.
    child.stdin?.end(input)
  })

/** Runs a tool that may be missing or have nothing to print. Returns its output, and nothing if it fails. */
export async function outputOf(run: RunTool, tool: string, ...args: readonly string[]): Promise<string | undefined> {
  const { status, stdout } = await run(tool, args).catch(() => ({ status: 1, stdout: '' }))
  return status === 0 ? stdout : undefined
}

export function isMissing(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}
