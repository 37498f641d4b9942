import { getSystemErrorCode, getSystemErrorReason, InputError } from '@kube-rules/application/messages'
import { quoteWords } from '@kube-rules/application/script'
import type { CliContext, ToolOptions, ToolOutput } from '../cli-context.js'

/** The cluster that kubectl connects to. Default: that of the current context. */
export interface Connection {
  /** The context of kubectl. */
  readonly context?: string | undefined
  readonly kubeconfig?: string | undefined
}

/** The parsed output of kubectl, undefined if it found nothing, or the problem with the command in parentheses. */
export type Answer = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly problem: string }

/** Runs kubectl with the arguments of a `get` in JSON. */
export async function queryCluster(
  context: CliContext,
  connection: Connection,
  args: readonly string[],
): Promise<Answer> {
  const words = [...connectionArguments(connection), ...args]
  const command = quoteWords(['kubectl', ...words])
  const { exitCode, stdout, stderr } = await runTool(context, 'kubectl', words)
  if (exitCode !== 0) return { ok: false, problem: `${lastLine(stderr)} (${command}, exit code ${exitCode})` }
  if (stdout.trim() === '') return { ok: true, value: undefined }
  try {
    return { ok: true, value: JSON.parse(stdout) }
  } catch {
    return { ok: false, problem: `the output is not JSON (${command})` }
  }
}

/** Runs kubectl for a cluster. Throws like `runTool`. */
export function runKubectl(
  context: CliContext,
  connection: Connection,
  args: readonly string[],
  options?: ToolOptions,
): Promise<ToolOutput> {
  return runTool(context, 'kubectl', [...connectionArguments(connection), ...args], options)
}

/**
 * Runs a program of the user.
 *
 * @throws InputError if it cannot be started.
 */
export async function runTool(
  context: CliContext,
  tool: string,
  args: readonly string[],
  options?: ToolOptions,
): Promise<ToolOutput> {
  try {
    return await context.runTool(tool, args, options)
  } catch (error) {
    const isMissing = getSystemErrorCode(error) === 'ENOENT'
    throw new InputError(`${tool}: ${isMissing ? 'not installed, or not on PATH' : getSystemErrorReason(error)}`)
  }
}

/** Returns the last line of the messages of a program, except the exit code that `kubectl exec` adds. */
export function lastLine(text: string): string {
  const lines = text.trim().split('\n')
  return lines.filter((line) => !line.startsWith('command terminated with exit code')).at(-1) || 'no error message'
}

function connectionArguments({ context, kubeconfig }: Connection): readonly string[] {
  return [
    ...(kubeconfig === undefined ? [] : ['--kubeconfig', kubeconfig]),
    ...(context === undefined ? [] : ['--context', context]),
  ]
}
