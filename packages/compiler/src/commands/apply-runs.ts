import type { Run } from '../dataplane/netfilter/run.js'

/** One command line with its standard input: a command, or a check whether it is needed. */
export interface Command extends Pick<Run, 'tool' | 'args' | 'input' | 'purpose'> {
  /**
   * The meaning of a failure:
   * - `error`: the command should have succeeded; execution stops
   * - `nothingToDo`: the object to remove does not exist; execution continues
   * - `notThereYet`: the result of a check, which is not an error; the checked command is executed next
   */
  readonly failureMeans: 'error' | 'nothingToDo' | 'notThereYet'
}

/**
 * Executes one command and returns the exit status of its tool. `true` stands for 0, and `false` for a failure of unknown status. Null, the
 * status of a process that a signal ended in Node.js, and every other result are failures, too.
 */
export type Execute = (command: Command) => number | boolean | null | Promise<number | boolean | null>

type ExecuteResult = Awaited<ReturnType<Execute>>

/** The result: all commands are done, or the first one that failed. Later commands were not started. */
export type Applied =
  | { readonly ok: true }
  /** `error` is the value that `execute` threw, if it threw one. */
  | { readonly ok: false; readonly failed: Run; readonly error?: unknown }

/**
 * Executes commands, one after another, and stops at the first that fails. A command is skipped if its `unless` succeeds. A command with
 * `mayFail` also counts as done if its tool exits with a status that means that there is nothing to do, or with an unknown
 * one. If `execute` throws or rejects, the effect of the command is unknown: that is a failure for every command, except for an error
 * with the `code` `ENOENT` if the tool may be missing. Never rejects.
 */
export async function applyRuns(runs: readonly Run[], execute: Execute): Promise<Applied> {
  for (const run of runs) {
    try {
      if (!(await isApplied(run, execute))) return { ok: false, failed: run }
    } catch (error) {
      if (run.toolMayBeMissing && isMissingTool(error)) continue
      return { ok: false, failed: run, error }
    }
  }
  return { ok: true }
}

/** Whether an error of Node.js means that the program does not exist. */
function isMissingTool(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}

async function isApplied(run: Run, execute: Execute): Promise<boolean> {
  const { tool, args, input, purpose, unless, mayFail = false } = run
  const common = { tool, purpose }
  if (unless !== undefined) {
    const answer = await execute({ ...common, args: unless, input: '', failureMeans: 'notThereYet' })
    if (isSuccess(answer)) return true
  }
  const result = await execute({ ...common, args, input, failureMeans: mayFail ? 'nothingToDo' : 'error' })
  return isSuccess(result) || (mayFail && meansNothingToDo(result, run))
}

function isSuccess(result: ExecuteResult): boolean {
  return result === 0 || result === true
}

function meansNothingToDo(result: ExecuteResult, { nothingToDo = [1] }: Run): boolean {
  return typeof result === 'number' ? nothingToDo.includes(result) : result === false
}
