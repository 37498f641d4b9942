import type { Packet } from '@kube-rules/types'
import { toCommands } from '../../../src/commands/to-commands.js'
import type { ToolCommand } from '../../../src/dataplane/netfilter/tool-command.js'
import { diff } from '../../../src/diff/diff.js'
import { runToolCommands } from '../sandbox/apply-runs.js'
import { type Lab, type Observation, summaryOf } from './lab.js'

/** The servers that answer one UDP flow before, during and after the removal of its endpoint. */
export interface FlowAnswers {
  readonly before: string
  /** The server after the rules have changed. */
  readonly withNewRules: string
  /** The server that responds after the connections have also been cleaned up. */
  readonly afterwards: string
}

/** Removes the endpoint of the flow from the Service `flow`, and restores it at the end. */
export async function moveFlow({ rules, result, on, probe }: Lab, packet: Packet): Promise<FlowAnswers> {
  const answer = async () => {
    const [observation] = await probe('client', [{ packet: { ...packet, sourcePort: 40_000 }, count: 1 }])
    return summaryOf(observation as Observation, packet).replace('*', '')
  }
  const { backend } = rules
  const apply = (commands: readonly ToolCommand[]) => runToolCommands(on('node'), commands, backend)
  const before = await answer()
  const others = (['pod1', 'pod2'] as const).filter((name) => name !== before)
  const next = rules.compile({ flow: others }, result)
  const runs = toCommands(diff(result, next), { backend })
  await apply(runs.filter(({ tool }) => tool !== 'conntrack'))
  const withNewRules = await answer()
  await apply(runs.filter(({ tool }) => tool === 'conntrack'))
  const afterwards = await answer()
  await apply(toCommands(diff(next, result), { backend }))
  return { before, withNewRules, afterwards }
}
