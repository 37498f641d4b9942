import type { NodeState, Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { STATE_ASSEMBLERS } from '@kube-rules/compiler/internal/dataplane/resource-conversions'

/** Returns a state in which subsystems missing from the dump are empty. */
export function completeState({ coverage: _, ...actual }: NodeState, subsystems: readonly Subsystem[]): NodeState {
  const lacking = subsystems.filter((name) => actual[name] === undefined)
  const nothing = lacking.map((name) => [name, STATE_ASSEMBLERS[name](new Map(), actual.family)])
  return { ...actual, ...Object.fromEntries(nothing) }
}
