import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { KnownFacts } from '@kube-rules/compiler/internal/dataplane/netfilter/known-facts'
import {
  DROPPED,
  endVisit,
  type HandlerResult,
  type HookHandler,
  NEXT,
  type PathState,
  withStep,
} from '@kube-rules/compiler/internal/dataplane/netfilter/path-state'
import type { BaseChain, Chain, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { ruleText } from '@kube-rules/compiler/internal/dataplane/nftables/rule-text'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { lazily, memo } from '@kube-rules/compiler/internal/internal/memo'
import { leaveBaseChain } from '../../netfilter/chain-run.js'
import { visitToTranslate } from '../../netfilter/decision.js'
import type { Sets } from './match.js'
import { missingTableParts } from './missing.js'
import { ruleSteps } from './rule-step.js'
import { runChain, type TableAtHook } from './run-chain.js'
import { indexSet, type SetIndex } from './set-index.js'

const HOOKS: Readonly<Record<string, Hook>> = {
  prerouting: 'PREROUTING',
  input: 'INPUT',
  forward: 'FORWARD',
  output: 'OUTPUT',
  postrouting: 'POSTROUTING',
}

/**
 * Creates the hook handlers for the base chains of a state, newest first: of several with one priority, the kernel
 * calls these first (`nf_hook_entries_grow`). `owners` are labels of chains and elements, by id.
 */
export function nftablesHookHandlers(
  state: NftablesState,
  facts: KnownFacts,
  owners: () => ReadonlyMap<string, string>,
): readonly HookHandler[] {
  const hookHandlers = memo(state, indexTables).flatMap(({ table, bases, chain, sets }) => {
    const missing = facts.known === undefined ? undefined : missingTableParts(table, facts.known)
    return bases.flatMap(({ name, base }) => {
      const hook = base && HOOKS[base.hook]
      if (base === undefined || hook === undefined) return []
      const at = { hook, facts, chain, sets, missing, stepOf: ruleSteps(table, hook, owners), textOf: ruleText }
      return [{ hook, priority: base.priority, visit: (branch: PathState) => visit(at, name, base, branch) }]
    })
  })
  return hookHandlers.reverse()
}

interface IndexedTable {
  readonly table: Table
  /** The base chains: few of many. */
  readonly bases: readonly Chain[]
  readonly chain: TableAtHook['chain']
  readonly sets: Sets
}

function indexTables({ tables }: NftablesState): readonly IndexedTable[] {
  return tables.map((table) => ({
    table,
    bases: table.chains.filter(({ base }) => base !== undefined),
    chain: chainsByName(table),
    sets: setsByName(table),
  }))
}

function chainsByName({ chains }: Table): (name: string) => Chain | undefined {
  const byName = lazily(() => new Map(chains.map((chain) => [chain.name, chain])))
  return (name) => byName().get(name)
}

/** Indexes sets on first use. */
function setsByName({ sets }: Table): Sets {
  const byName = lazily(() => new Map(sets.map((set) => [set.name, set])))
  const indexed = new Map<string, SetIndex>()
  return (name) => {
    const known = indexed.get(name)
    const set = known === undefined ? byName().get(name) : undefined
    if (set === undefined) return known
    const index = indexSet(set)
    indexed.set(name, index)
    return index
  }
}

function visit(table: TableAtHook, name: string, base: BaseChain, branch: PathState): readonly HandlerResult[] {
  const command = (path: PathState) =>
    runChain(table, name, path).map((ran) => leaveBaseChain(ran, (last) => followPolicy(table, name, base, last)))
  return base.type === 'nat' ? visitToTranslate(table.hook, branch, command) : command(branch)
}

/** Applies the policy at the end of a base chain. */
function followPolicy(table: TableAtHook, name: string, { policy }: BaseChain, branch: PathState): HandlerResult {
  if (policy !== 'drop') return endVisit(branch, NEXT)
  const step = () => ({ ...table.stepOf(name, POLICY, { kind: 'drop' })(), text: 'policy drop', comment: 'policy' })
  return endVisit(withStep(branch, step), DROPPED)
}

const POLICY = { statements: [] }
