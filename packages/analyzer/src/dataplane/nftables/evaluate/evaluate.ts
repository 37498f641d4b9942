import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import { createHookPacketFactory } from '@kube-rules/compiler/internal/dataplane/netfilter/hook-packet'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { MatchedDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/read-set'
import type {
  BaseChain,
  Chain,
  Element,
  Rule,
  Statement,
  StatementKind,
  Table,
} from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { formatNftRule } from '@kube-rules/compiler/internal/dataplane/nftables/format-nft-rule'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import { formatChainId, formatElementId } from '@kube-rules/compiler/internal/dataplane/nftables/resources'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import { leaveBaseChain } from '../../netfilter/chain-result.js'
import { visitNatHandler } from '../../netfilter/decision.js'
import {
  DROPPED_VERDICT,
  type HandlerResult,
  type HookHandler,
  NEXT_VERDICT,
  type PathState,
  type TranslatedField,
  withStep,
  withVerdict,
} from '../../netfilter/path-state.js'
import { restrictRuleToElement, restrictStatementToElement, verdictMapOfRule } from '../rule-with-element.js'
import type { SetLookup } from './match.js'
import { findMissingTableContent } from './missing.js'
import type { TableAtHook } from './rule-at.js'
import { runChain } from './run-chain.js'
import { isPayloadField } from './selector-value.js'
import { indexSet, type SetIndex } from './set-index.js'

const HOOKS: Readonly<Record<string, Hook>> = {
  prerouting: 'PREROUTING',
  input: 'INPUT',
  forward: 'FORWARD',
  output: 'OUTPUT',
  postrouting: 'POSTROUTING',
}

/**
 * Creates the hook handlers for the base chains of a state. If several base chains have the same priority, the newest
 * chain is first, because the kernel calls it first (`nf_hook_entries_grow`). `owners` are labels of chains and
 * elements, by id.
 */
export function createNftablesHookHandlers(
  state: NftablesState,
  facts: EvaluationContext,
  owners: () => ReadonlyMap<string, string>,
): readonly HookHandler[] {
  const hookHandlers = memoize(state, indexTables).flatMap(({ table, bases, chain, sets }) => {
    const missing = facts.coverage === undefined ? undefined : findMissingTableContent(table, facts.coverage)
    return bases.flatMap(({ name, base }) => {
      const hook = base && HOOKS[base.hook]
      if (base === undefined || hook === undefined) return []
      const at = {
        hook,
        facts,
        passageOf: createHookPacketFactory(hook),
        chain,
        sets,
        missing,
        stepOf: createRuleStepFactory(table, hook, owners),
        textOf: formatNftRule,
      }
      return [{ hook, priority: base.priority, visit: (branch: PathState) => visit(at, name, base, branch) }]
    })
  })
  return hookHandlers.reverse()
}

interface IndexedTable {
  readonly table: Table
  /** The base chains, which are few. */
  readonly bases: readonly Chain[]
  readonly chain: TableAtHook['chain']
  readonly sets: SetLookup
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
  const byName = createLazyGetter(() => new Map(chains.map((chain) => [chain.name, chain])))
  return (name) => byName().get(name)
}

/** Returns a function from a set name to its lazily built index. */
function setsByName({ sets }: Table): SetLookup {
  const byName = createLazyGetter(() => new Map(sets.map((set) => [set.name, set])))
  const indexed = new Map<string, SetIndex>()
  return (name) => {
    const existing = indexed.get(name)
    const set = existing === undefined ? byName().get(name) : undefined
    if (set === undefined) return existing
    const index = indexSet(set)
    indexed.set(name, index)
    return index
  }
}

function visit(table: TableAtHook, name: string, base: BaseChain, branch: PathState): readonly HandlerResult[] {
  const atEnd = (last: PathState) => followPolicy(table, name, base, last)
  const command = (path: PathState) => runChain(table, name, path).map((ran) => leaveBaseChain(ran, atEnd))
  return base.type === 'nat' ? visitNatHandler(table.hook, branch, command) : command(branch)
}

/** Applies the policy at the end of a base chain. */
function followPolicy(table: TableAtHook, name: string, { policy }: BaseChain, branch: PathState): HandlerResult {
  if (policy !== 'drop') return withVerdict(branch, NEXT_VERDICT)
  const step = () => ({ ...table.stepOf(name, POLICY, { kind: 'drop' })(), text: 'policy drop', comment: 'policy' })
  return withVerdict(withStep(branch, step), DROPPED_VERDICT)
}

const POLICY = { statements: [] }

/**
 * Yields the destinations that rules, sets and maps may match on: every address in a key, with the last numeric
 * component of the key as the port.
 */
export function* destinationsOfTables({ tables }: NftablesState): Iterable<MatchedDestination> {
  for (const { sets, chains } of tables) {
    for (const { elements } of sets) yield* destinationsOfElements(elements)
    for (const { rules } of chains) for (const rule of rules) yield* placesOfRule(rule)
  }
}

function* placesOfRule({ statements }: Rule): Iterable<MatchedDestination> {
  for (const statement of statements) yield* placesOfStatement(statement)
}

function* placesOfStatement(statement: Statement): Iterable<MatchedDestination> {
  if (statement.kind === 'vmap' && statement.map.kind === 'anonymous')
    yield* destinationsOfElements(statement.map.elements)
  if (statement.kind === 'dnat' && statement.to.kind === 'map') yield* destinationsOfElements(statement.to.elements)
  if (statement.kind !== 'match' || !statement.left.some((selector) => isPayloadField(selector, 'daddr'))) return
  const { right } = statement
  if (right.kind === 'value') yield* placesOfKey(right.value)
  if (right.kind === 'anonymous') for (const key of right.keys) yield* placesOfKey(key)
}

function* destinationsOfElements(elements: readonly Element[]): Iterable<MatchedDestination> {
  for (const { key } of elements) yield* placesOfKey(key)
}

function* placesOfKey(key: string): Iterable<MatchedDestination> {
  const parts = splitConcatenation(key)
  const port = [...parts].reverse().find((part) => /^\d+(?:-\d+)?$/.test(part))
  for (const address of parts) if (/[.:]/.test(address)) yield { address, port }
}

/** Returns a function that creates the steps of matching rules of a table at one hook. */
function createRuleStepFactory(
  { family, name }: Table,
  hook: Hook,
  owners: () => ReadonlyMap<string, string>,
): TableAtHook['stepOf'] {
  const table = { family, name }
  return (chain, rule, verdict, element) => () => {
    const set = verdictMapOfRule(rule)
    const rewrites = verdict && REWRITES[verdict.kind]
    const ids = set === undefined || element === undefined ? [] : [formatElementId(table, { set, element })]
    return {
      hook,
      table: `nftables ${family} ${name}`,
      chain,
      text: formatNftRule(element === undefined ? rule : restrictRuleToElement(rule, element)),
      target:
        verdict === undefined
          ? ''
          : formatStatement(element === undefined ? verdict : restrictStatementToElement(verdict, element)),
      jumpsTo: verdict !== undefined && 'chain' in verdict ? verdict.chain : '',
      ...(rewrites && { rewrites }),
      comment: [rule.comment, element?.comment].filter((text) => text !== undefined).join('; '),
      servicePort:
        [...ids, formatChainId(table, chain)].map((id) => owners().get(id)).find((owner) => owner !== undefined) ?? '',
    }
  }
}

const REWRITES: { readonly [Kind in StatementKind]?: TranslatedField } = { dnat: 'destination', masquerade: 'source' }

function formatStatement(statement: Statement): string {
  return formatNftRule({ statements: [statement] })
}
