import type { FamilyResult } from '@kube-rules/compiler/internal/compilation/compile-result'
import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { findSubsystem, resourcesOfSubsystem } from '@kube-rules/compiler/internal/dataplane/node-resources'
import { type NodeState, presentSubsystemsOf, type Subsystem } from '@kube-rules/compiler/internal/dataplane/node-state'
import { STATE_ASSEMBLERS } from '@kube-rules/compiler/internal/dataplane/resource-conversions'
import { groupItems } from '@kube-rules/compiler/internal/internal/group-items'
import type { ResourcePair } from '@kube-rules/compiler/internal/patch/diff-resources'
import { pairNodeResources } from '@kube-rules/compiler/internal/reconcile/node-changes'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'

/**
 * Returns the state of a node after kube-proxy writes its rules again: its rules as they are compiled, and the rules of
 * other programs as they are. What the dump does not contain is as kube-proxy writes it.
 */
export function rewriteRules(live: NodeState, mode: ProxyMode, { plan, state }: FamilyResult): NodeState {
  const { coverage: _, ...whole } = completeState(live, state)
  const pairs = groupItems(pairNodeResources({ mode, plan, state }, whole), subsystemOf)
  const changed = Array.from(pairs, ([name, own]) =>
    name === undefined ? [] : ([name, changeSubsystem(name, whole, own)] as const),
  )
  return { ...whole, ...Object.fromEntries(changed.filter(({ length }) => length > 0)) }
}

function subsystemOf({ before, after }: ResourcePair): Subsystem | undefined {
  return findSubsystem((after ?? before)?.id ?? '')
}

/** Replaces each resource of a pair by its new value. */
function changeSubsystem(name: Subsystem, live: NodeState, pairs: readonly ResourcePair[]): NodeState[Subsystem] {
  const resources = new Map(resourcesOfSubsystem(name, live))
  for (const { before, after } of pairs) {
    if (after !== undefined) resources.set(after.id, after)
    else if (before !== undefined) resources.delete(before.id)
  }
  const after = STATE_ASSEMBLERS[name](resources, live.family)
  return name === 'iptables' ? withPolicies(after as IptablesState, live.iptables) : (after as NodeState[Subsystem])
}

/** Adds the policies of the built-in chains, which no update of kube-proxy changes. */
function withPolicies(after: IptablesState, before: IptablesState | undefined): IptablesState {
  const tables = after.tables.map((table) => {
    const policies = before?.tables.find(({ name }) => name === table.name)?.policies
    return policies === undefined ? table : { ...table, policies }
  })
  return { ...after, tables }
}

/** Returns the state with the missing subsystems and iptables tables of the compiled state. */
export function completeState(live: NodeState, compiled: NodeState): NodeState {
  const missing = presentSubsystemsOf(compiled).filter((name) => live[name] === undefined)
  const added = Object.fromEntries(missing.map((name) => [name, compiled[name]]))
  const { iptables } = live
  if (iptables === undefined) return { ...live, ...added }
  const names = iptables.tables.map(({ name }) => name)
  const tables = compiled.iptables?.tables.filter(({ name }) => !names.includes(name)) ?? []
  return { ...live, ...added, iptables: { ...iptables, tables: [...iptables.tables, ...tables] } }
}
