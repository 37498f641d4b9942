import type { RunTool } from './run-tool.js'
import { isReading, type watchRules } from './watch-rules.js'

/** Runs tools, counts their processes, and names changes of rules to the watch of rules, which otherwise reports them. */
export function createCountedTools(runTool: RunTool) {
  let processes = 0
  let rules: ReturnType<typeof watchRules> | undefined
  const run: RunTool = async (tool, args, input) => {
    const isOwn = rules !== undefined && !isReading(tool, args)
    const result = isOwn ? await rules?.runOwn(runTool, tool, args, input) : undefined
    processes += 1
    return result ?? runTool(tool, args, input)
  }
  return {
    run,
    processes: () => processes,
    setWatch: (watch: typeof rules): void => {
      rules = watch
    },
  }
}
