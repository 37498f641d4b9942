import type { IpFamily } from '@kube-rules/types'
import type { StateComparison } from '../dataplane/comparison.js'
import type { IptablesState } from '../dataplane/iptables/ast.js'
import { type NodeState, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { STATE_ASSEMBLERS } from '../dataplane/resource-conversions.js'
import { diffPairs, type ResourcePair } from '../patch/diff-resources.js'
import { orderChanges } from '../patch/order.js'
import type { Change } from '../patch/patch.js'
import type { PlanHeader } from '../plan/plan.js'
import type { ProxyMode } from '../targets/modes.js'
import { DRIFT_CHECKS, type DriftCheck } from './drift-checks.js'
import { findLeftoverOwnership, findStrictOwnership, type UntypedOwnership } from './resource-ownership.js'

/** The expected state of one family. */
export interface ExpectedFamily {
  readonly mode: ProxyMode
  readonly state: NodeState
  readonly plan: PlanHeader
}

/** Returns the changes between the two resources of each pair, in an order without dangling references. */
export function diffPairsInOrder(pairs: readonly ResourcePair[]): readonly Change[] {
  return orderChanges(diffPairs(pairs))
}

/** Compares the expected and the actual state of one subsystem. */
export function compareSubsystem(
  name: Subsystem,
  expected: NodeState,
  actual: NodeState,
  ownership: UntypedOwnership,
): StateComparison {
  const check: DriftCheck<unknown, unknown> = DRIFT_CHECKS[name]
  return check.compare(expected[name], actual[name], ownership)
}

/**
 * Compares a subsystem that the expected mode does not use. Every resource of another mode in the subsystem is
 * unexpected. Returns undefined if the mode uses the subsystem, or if the dump does not contain the subsystem.
 */
export function compareLeftovers(
  name: Subsystem,
  { mode, state, plan }: ExpectedFamily,
  actual: NodeState,
): StateComparison | undefined {
  const ownership = findLeftoverOwnership(name, mode, plan, actual)
  if (ownership === undefined || actual[name] === undefined) return undefined
  return compareSubsystem(name, { ...state, [name]: expectedIn(name, state, actual) }, actual, ownership)
}

/**
 * Returns the differences between the actual and the expected state. Considers the subsystems in the dump, and the
 * resources that kube-proxy creates in any mode. The order of rules counts, because later updates refer to rules by
 * number. A resource that is missing in a dumped subsystem does not exist.
 */
export function pairNodeResources({ mode, state, plan }: ExpectedFamily, actual: NodeState): readonly ResourcePair[] {
  return SUBSYSTEMS.flatMap((name) => {
    if (actual[name] === undefined) return []
    const ownership = findStrictOwnership(name, mode, plan, actual)
    if (ownership === undefined) return []
    const expected = { ...state, [name]: expectedIn(name, state, actual) }
    return compareSubsystem(name, expected, actual, { ...ownership, isComplete: true, isExact: true }).pairs
  })
}

/**
 * Returns the expected state of a subsystem. The state is empty if the mode does not use the subsystem. For iptables,
 * the state has an additional empty table for each unexpected table of the node.
 */
function expectedIn(name: Subsystem, state: NodeState, actual: NodeState): NodeState[Subsystem] {
  if (name === 'iptables') return withTablesOf(state.iptables, actual.iptables, state.family)
  return state[name] ?? (STATE_ASSEMBLERS[name](new Map(), state.family) as NodeState[Subsystem])
}

function withTablesOf(
  expected: IptablesState | undefined,
  actual: IptablesState | undefined,
  family: IpFamily,
): IptablesState {
  const tables = expected?.tables ?? []
  const others = actual?.tables.filter(({ name }) => !tables.some((table) => table.name === name)) ?? []
  return { family, ...expected, tables: [...tables, ...others.map(({ name }) => ({ name, jumps: [], blocks: [] }))] }
}
