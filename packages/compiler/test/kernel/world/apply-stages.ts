import type { Backend } from '../../../src/dataplane/language.js'
import type { Run, Tool } from '../../../src/dataplane/netfilter/run.js'
import type { Execute } from './world.js'

/**
 * Carries an apply plan out, stage by stage, with the tools of one back end. Throws at the first stage that fails and
 * must not: what was applied before stays.
 */
export async function applyStages(run: Execute, stages: readonly Run[], backend: Backend): Promise<void> {
  for (const { tool, args, input, purpose, unless, mayFail } of stages) {
    const program = programOf(tool, backend)
    if (unless !== undefined && (await run([program, ...unless])).status === 0) continue
    const { status, stderr } = await run([program, ...args], input)
    if (status !== 0 && !mayFail) throw new Error(`to ${purpose}: ${program} ${args.join(' ')}: ${stderr}`)
  }
}

/** `iptables-restore` is `iptables-nft-restore` or `iptables-legacy-restore`. */
function programOf(tool: Tool, backend: Backend): string {
  return tool.replace('tables', `tables-${backend}`)
}
