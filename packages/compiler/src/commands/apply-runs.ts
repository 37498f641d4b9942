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

/** Executes one command and returns whether its tool exited with 0. Every result but true is a failure. */
export type Execute = (command: Command) => boolean | Promise<boolean>

/** The result: all commands are done, or the first one that failed. Later commands were not started. */
export type Applied =
  | { readonly ok: true }
  /** `error` is the value that `execute` threw, if it threw one. */
  | { readonly ok: false; readonly failed: Run; readonly error?: unknown }

/**
 * Carries runs out, one after another, with whatever executes them, and stops at the first that fails: a run is left out
 * where its `unless` succeeds, and one with `mayFail` may fail. Where `execute` throws or rejects nobody knows what was
 * done, so that counts as a failure whatever the command is for, but for the error with the `code` `ENOENT` where the tool may
 * be missing. Never rejects.
 */
export async function applyRuns(runs: readonly Run[], execute: Execute): Promise<Applied> {
  const succeeds = async (command: Command) => (await execute(command)) === true
  for (const run of runs) {
    try {
      if (!(await isApplied(run, succeeds))) return { ok: false, failed: run }
    } catch (error) {
      if (run.toolMayBeMissing && isMissingTool(error)) continue
      return { ok: false, failed: run, error }
    }
  }
  return { ok: true }
}

/** What Node.js throws where there is no such program. */
function isMissingTool(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT'
}

async function isApplied(run: Run, succeeds: (command: Command) => Promise<boolean>): Promise<boolean> {
  const { tool, args, input, purpose, unless, mayFail = false } = run
  const common = { tool, purpose }
  if (unless !== undefined && (await succeeds({ ...common, args: unless, input: '', failureMeans: 'notThereYet' }))) {
    return true
  }
  return (await succeeds({ ...common, args, input, failureMeans: mayFail ? 'nothingToDo' : 'error' })) || mayFail
}
