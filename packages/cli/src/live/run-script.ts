import type { ToolOutput } from '../cli-context.js'
import { UNREAD_COMMENT } from './collect-script.js'
import { lastLine } from './kubectl.js'

/** The rules of a node as the script of `collect` printed them, or the reason why it printed none. */
export type ScriptOutput =
  | {
      readonly ok: true
      /** The place where the script ran, for messages: `Pod kube-proxy-x7k2p`. */
      readonly place: string
      readonly text: string
      /** The tools and tables that the script could not read, with reasons. */
      readonly unread: readonly string[]
    }
  | { readonly ok: false; readonly place: string; readonly problem: string }

/** Interprets the output of the script. Output with nothing but a list of unread parts is a problem. */
export function readScriptOutput(place: string, { exitCode, stdout, stderr }: ToolOutput): ScriptOutput {
  if (exitCode !== 0) return { ok: false, place, problem: `${lastLine(stderr)} (exit code ${exitCode})` }
  const lines = stdout.split('\n')
  const comment = lines.filter((line) => line.startsWith(UNREAD_COMMENT)).at(-1)
  const unread = comment === undefined ? [] : comment.slice(UNREAD_COMMENT.length).split(', ')
  const hasRules = lines.some((line) => line !== '' && !line.startsWith('#'))
  if (!hasRules && unread.length > 0) return { ok: false, place, problem: `not read: ${unread.join(', ')}` }
  return { ok: true, place, text: stdout, unread }
}

/** Returns the first output with the fewest unread parts. */
export function chooseOutput(outputs: readonly ScriptOutput[]): Extract<ScriptOutput, { ok: true }> | undefined {
  const read = outputs.flatMap((output) => (output.ok ? [output] : []))
  const fewest = Math.min(...read.map(({ unread }) => unread.length))
  return read.find(({ unread }) => unread.length === fewest)
}
