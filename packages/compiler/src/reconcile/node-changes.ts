import type { IpFamily } from '@kube-rules/types'
import type { Comparison } from '../dataplane/comparison.js'
import type { IptablesState } from '../dataplane/iptables/ast.js'
import { type NodeState, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { RESOURCE_FORMS } from '../dataplane/resource-forms.js'
import { changesOf, type ResourcePair } from '../patch/diff-resources.js'
import { orderChanges } from '../patch/order.js'
import type { Change } from '../patch/patch.js'
import type { PlanFrame } from '../plan/plan.js'
import type { CompiledMode } from '../targets/modes.js'
import { type AnyCustody, strictCustodyIn } from './custody.js'
import { DRIFT_CHECKS, type DriftCheck } from './drift-checks.js'

/** What a node should hold of one family. */
export interface WantedNode {
  readonly mode: CompiledMode
  readonly state: NodeState
  readonly plan: PlanFrame
}

/** The changes that pairs come to, in the order in which nothing is ever without what it refers to. */
export function changesOfPairs(pairs: readonly ResourcePair[]): readonly Change[] {
  return orderChanges(changesOf(pairs))
}

/** Compares what is wanted in one language with what a node holds of it. */
export function compareSubsystem(name: Subsystem, wanted: NodeState, live: NodeState, custody: AnyCustody): Comparison {
  const check: DriftCheck<unknown, unknown> = DRIFT_CHECKS[name]
  return check.compare(wanted[name], live[name], custody)
}

/**
 * The differences between what a node holds and what is wanted, in the languages that the dump has: of every mode, as far as they are
 * kube-proxy's. Rules have to stand in the order wanted: later updates name them by their number. What the dump lacks of a
 * language that it has is not there.
 */
export function pairsOnNode({ mode, state, plan }: WantedNode, live: NodeState): readonly ResourcePair[] {
  return SUBSYSTEMS.flatMap((name) => {
    if (live[name] === undefined) return []
    const custody = strictCustodyIn(name, mode, plan, live)
    if (custody === undefined) return []
    const wanted = { ...state, [name]: wantedIn(name, state, live) }
    return compareSubsystem(name, wanted, live, { ...custody, isComplete: true, isExact: true }).pairs
  })
}

/** Nothing in a language that the mode does without; in tables of iptables that are there and not wanted nothing, too. */
function wantedIn(name: Subsystem, state: NodeState, live: NodeState): NodeState[Subsystem] {
  if (name === 'iptables') return withTablesOf(state.iptables, live.iptables, state.family)
  return state[name] ?? (RESOURCE_FORMS[name].assemble(new Map(), state.family) as NodeState[Subsystem])
}

function withTablesOf(
  wanted: IptablesState | undefined,
  live: IptablesState | undefined,
  family: IpFamily,
): IptablesState {
  const tables = wanted?.tables ?? []
  const others = live?.tables.filter(({ name }) => !tables.some((table) => table.name === name)) ?? []
  return { family, ...wanted, tables: [...tables, ...others.map(({ name }) => ({ name, jumps: [], blocks: [] }))] }
}
