import type { IptablesState } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { chainsWithOwnersOf, jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import { enableMemo, memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { Explanation } from '../explain/explain-paths.js'
import type { PathStep } from '../program/steps.js'
import { createTracer } from '../trace/trace.js'
import type { TraceContext } from '../trace/trace-context.js'
import type { PacketDiagnosisContext, RuleWithJump } from './packet-diagnosis-context.js'

/** Creates a function that returns the names of all chains in the table of a step. Reads each table once. */
export function createChainLookup(state: NodeState): (step: PathStep) => readonly string[] {
  const chains = new Map<string, readonly string[]>()
  return ({ table }) => {
    const names = chains.get(table) ?? listChains(state, table)
    chains.set(table, names)
    return names
  }
}

/** Lists the chains of a table with the name of a step: `iptables filter`, `nftables ip filter`. */
function listChains({ iptables, nftables }: NodeState, by: string): readonly string[] {
  const table = iptables?.tables.find(({ name }) => by === `iptables ${name}`)
  if (table !== undefined) return [...chainsWithOwnersOf(table).keys()]
  const listed = nftables?.tables.find(({ family, name }) => by === `nftables ${family} ${name}`)
  return listed?.chains.map(({ name }) => name) ?? []
}

/** Returns all rules of the iptables chain of a step, in order. */
export function rulesOfChain(
  { family, iptables }: NodeState,
  { table: by, chain }: Pick<PathStep, 'table' | 'chain'>,
): readonly RuleWithJump[] {
  const table = iptables?.tables.find(({ name }) => by === `iptables ${name}`)
  const rules = (table && chainsWithOwnersOf(table).get(chain)) ?? []
  return rules.map(({ rule }) => ({ text: printRule(rule, 'save', family), jumpsTo: jumpTargetOf(rule) ?? '' }))
}

/**
 * Traces the packet again without the POSTROUTING jump `entry`. Returns the jump that then changes the source. A jump
 * that the dump does not show is none of them.
 */
export function nextSourceChange(
  entry: PathStep,
  { packet }: Explanation,
  state: NodeState,
  traceContext: TraceContext,
): ReturnType<PacketDiagnosisContext['nextSourceChange']> {
  const { iptables } = state
  if (iptables === undefined) return undefined
  const paths = createTracer(getStateWithoutJump(state, iptables, entry.text), traceContext)(packet)
  for (const { steps } of paths) {
    const behind = steps.filter(({ hook, table }) => hook === 'POSTROUTING' && table === 'iptables nat')
    if (!/^(?:MASQUERADE|SNAT)\b/.test(behind.at(-1)?.target ?? '')) continue
    const jump = behind.filter(({ chain }) => chain === 'POSTROUTING').at(-1)
    if (jump === undefined || jump.jumpsTo === '') continue
    const index = rulesOfChain(state, jump).findIndex(({ text }) => text === jump.text)
    return index < 0 ? undefined : { chain: jump.jumpsTo, index: index + 1 }
  }
  return undefined
}

/** Returns a state without a rule of a built-in chain of table nat. It is cached with the state for the next packets. */
function getStateWithoutJump(state: NodeState, iptables: IptablesState, text: string): NodeState {
  const known = memoize(state, noStates)
  const existing = known.get(text)
  if (existing !== undefined) return existing
  const tables = iptables.tables.map((table) =>
    table.name === 'nat'
      ? { ...table, jumps: table.jumps.filter((rule) => printRule(rule, 'save', state.family) !== text) }
      : table,
  )
  const changed = enableMemo({ ...state, iptables: { ...iptables, tables } })
  known.set(text, changed)
  return changed
}

function noStates(): Map<string, NodeState> {
  return new Map()
}
