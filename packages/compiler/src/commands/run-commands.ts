import { checkFunction, checkList, checkObject } from '../arguments/check-argument.js'
import type { ToolCommand } from '../dataplane/netfilter/tool-command.js'

/** One command line with its standard input. The command line is a command, or a check whether a command is needed. */
export interface CommandInvocation extends Pick<ToolCommand, 'tool' | 'args' | 'input' | 'purpose'> {
  /**
   * The consequence of a non-zero exit status.
   * - `fail`: the command should have succeeded; execution stops
   * - `ignore`: the object to remove does not exist; execution continues
   * - `runNext`: the check found that its command is needed, which is not an error; the command is executed next
   */
  readonly onNonZeroExit: 'fail' | 'ignore' | 'runNext'
}

/**
 * Executes one command and returns the exit status of the tool. `true` means 0, and `false` means a failure of unknown
 * status. Every other result also counts as a failure; for example, Node.js reports null for a process that a signal
 * ended.
 */
export type CommandExecutor = (command: CommandInvocation) => number | boolean | null | Promise<number | boolean | null>

type ExecuteResult = Awaited<ReturnType<CommandExecutor>>

/** The result: success, or the first command that failed. Later commands were not started. */
export type RunResult =
  | { readonly ok: true }
  /** `error` is the value that `execute` threw, if it threw one. */
  | { readonly ok: false; readonly failed: ToolCommand; readonly error?: unknown }

/**
 * Executes commands one after another and stops at the first command that fails. A command is skipped if its `skipIf`
 * succeeds. A command with `allowFailure` also succeeds if its tool exits with an unknown status, or with a status that
 * means that there is nothing to do. If `execute` throws or rejects, the command has failed, because the effect of the
 * command is unknown. However, an error with the `code` `ENOENT` is not a failure if the tool may be missing.
 *
 * Rejects only with a DiagnosticsError (`invalidArgument`), if the arguments are not a list of commands and a function.
 *
 * @example
 * ```ts
 * const commands = toCommands(diff(undefined, compile(input, { nodeName: 'node-1' })))
 * await runCommands(commands, ({ tool, args, input }) => 0) // => { ok: true }
 * ```
 */
export async function runCommands(commands: readonly ToolCommand[], execute: CommandExecutor): Promise<RunResult> {
  const expected = 'a list of commands, as toCommands returns it'
  checkList('commands', commands, expected).forEach((command, index) => {
    const { args } = checkObject('commands', command, 'a command', `[${index}]`)
    checkList('commands', args, 'a list of words', `[${index}].args`)
  })
  checkFunction('execute', execute, 'a function that executes a command')
  for (const command of commands) {
    try {
      if (!(await isApplied(command, execute))) return { ok: false, failed: command }
    } catch (error) {
      if (command.toolMayBeMissing && isMissingTool(error)) continue
      return { ok: false, failed: command, error }
    }
  }
  return { ok: true }
}

/** Reports whether an error of Node.js means that the program does not exist. */
function isMissingTool(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}

async function isApplied(command: ToolCommand, execute: CommandExecutor): Promise<boolean> {
  const { tool, args, input, purpose, skipIf, allowFailure = false } = command
  const common = { tool, purpose }
  if (skipIf !== undefined) {
    const answer = await execute({ ...common, args: skipIf, input: '', onNonZeroExit: 'runNext' })
    if (isSuccess(answer)) return true
  }
  const result = await execute({ ...common, args, input, onNonZeroExit: allowFailure ? 'ignore' : 'fail' })
  return isSuccess(result) || (allowFailure && meansNothingToDo(result, command))
}

function isSuccess(result: ExecuteResult): boolean {
  return result === 0 || result === true
}

function meansNothingToDo(result: ExecuteResult, { nothingToDo = [1] }: ToolCommand): boolean {
  return typeof result === 'number' ? nothingToDo.includes(result) : result === false
}
