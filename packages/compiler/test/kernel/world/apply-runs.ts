import type { Backend } from '../../../src/dataplane/language.js'
import type { Run } from '../../../src/dataplane/netfilter/run.js'
import type { Execute } from './world.js'

/**
 * Carries a script out, run by run, with the tools of one back end. Throws at the first run that fails and
 * must not: what was applied before stays.
 */
export async function applyRuns(run: Execute, runs: readonly Run[], backend: Backend): Promise<void> {
  for (const { tool, args, input, purpose, unless, mayFail } of runs) {
    const program = programOf(tool, backend)
    if (unless !== undefined && (await run([program, ...unless])).status === 0) continue
    const { status, stderr } = await run([program, ...args], input)
    if (status !== 0 && !mayFail) throw new Error(`to ${purpose}: ${program} ${args.join(' ')}: ${stderr}`)
  }
}

/** `iptables-restore` is `iptables-nft-restore` or `iptables-legacy-restore`. */
function programOf(tool: string, backend: Backend): string {
  return tool.replace('tables', `tables-${backend}`)
}
