import { parseDump } from '@kube-rules/analyzer'
import {
  type CommandExecutor,
  cleanStaleEntries,
  parseConntrack,
  runCommands,
  type Tracker,
} from '@kube-rules/compiler'

/** Your functions: each one runs tools on the node. */
interface NodeTools {
  readonly execute: CommandExecutor
  /**
   * Returns the rules on the node, as one text: the output of the script that `kube-rules collect` prints, which runs the
   * tools of all modes. With fewer tools, rules of other modes stay.
   */
  readRules(): Promise<string>
  /** Returns the output of `conntrack -L -f ipv4; conntrack -L -f ipv6`. */
  readConnections(): Promise<string>
}

/** Updates a node. Pass `isUnknown` at the start, after a failed update, and every few minutes. */
export async function sync(tracker: Tracker, tools: NodeTools, isUnknown: boolean): Promise<boolean> {
  const readNode = async () => {
    const dump = parseDump(await tools.readRules())
    if (!dump.ok) throw new Error(dump.problems[0]?.message)
    return dump.value
  }
  const { ok, update } = await tracker.run(tools.execute, { keepsConnections: true, ...(isUnknown && { readNode }) })
  if (!ok) return false
  const entries = parseConntrack(await tools.readConnections())
  return (await runCommands(cleanStaleEntries(update.result, entries), tools.execute)).ok
}
