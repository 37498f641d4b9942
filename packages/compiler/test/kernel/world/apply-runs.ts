import { applyRuns as apply } from '../../../src/commands/apply-runs.js'
import type { Run } from '../../../src/dataplane/netfilter/run.js'
import type { Backend } from '../../../src/dataplane/tool-options.js'
import type { Execute } from './world.js'

/**
 * Runs a script, command by command, with the tools of one back end. Throws at the first unexpected failure; earlier
 * changes remain.
 */
export async function applyRuns(run: Execute, runs: readonly Run[], backend: Backend): Promise<void> {
  let said = ''
  const applied = await apply(runs, async ({ tool, args, input }) => {
    const { status, stderr } = await run([programOf(tool, backend), ...args], input)
    said = stderr
    return status
  })
  if (applied.ok) return
  const { tool, args, purpose } = applied.failed
  throw new Error(`to ${purpose}: ${programOf(tool, backend)} ${args.join(' ')}: ${said}`, { cause: applied.error })
}

/** Maps `iptables-restore` to `iptables-nft-restore` or `iptables-legacy-restore`. */
function programOf(tool: string, backend: Backend): string {
  return tool.replace('tables', `tables-${backend}`)
}
