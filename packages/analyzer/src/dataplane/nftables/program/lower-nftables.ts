import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Chain as NftChain, Table } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { createLazyGetter, memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { IpFamily } from '@kube-rules/types'
import { indexInstructions } from '../../../program/index-instructions.js'
import type { BaseChain, Chain, ChainReference, Effect } from '../../../program/program.js'
import type { StateContext } from '../../../program/state-context.js'
import { createSetLookup, type SetLookup } from './lower-lookup.js'
import { lowerRule } from './lower-rule.js'
import { findMissingContent, type MissingTableContent } from './missing-content.js'
import { type Stage, stageOf } from './stage.js'

const HOOKS: ReadonlyMap<string, Hook> = new Map([
  ['prerouting', 'PREROUTING'],
  ['input', 'INPUT'],
  ['forward', 'FORWARD'],
  ['output', 'OUTPUT'],
  ['postrouting', 'POSTROUTING'],
])

/**
 * Lowers the tables of a state. If several base chains have the same priority, the newest chain is first, because the
 * kernel calls it first (`nf_hook_entries_grow`). `owners` are labels of chains and elements, by id.
 */
export function lowerNftables(
  state: NftablesState,
  { coverage }: Pick<StateContext, 'coverage'>,
  owners: () => ReadonlyMap<string, string>,
): readonly BaseChain[] {
  const baseChains = memoize(state, indexTables).flatMap(({ table, sets }) => {
    const chains = createChainLookup({ table, sets, missing: findMissingContent(table, coverage), owners })
    return table.chains.flatMap((chain): readonly BaseChain[] => {
      const hook = chain.base && HOOKS.get(chain.base.hook)
      const lowered = hook && chains(stageOf(hook, chain.base.priority), chain.name)
      if (chain.base === undefined || hook === undefined || lowered === undefined) return []
      const { type, priority, policy } = chain.base
      const effects = policy === 'drop' ? policyEffects(table, chain) : undefined
      return [{ hook, priority, translates: type === 'nat', chain: lowered, policy: effects }]
    })
  })
  return baseChains.reverse()
}

interface IndexedTable {
  readonly table: Table
  readonly sets: SetLookup
}

/** The kernel does not call the chains of a dormant table. */
function indexTables({ tables }: NftablesState): readonly IndexedTable[] {
  const active = tables.filter(({ flags }) => flags?.includes('dormant') !== true)
  return active.map((table) => ({ table, sets: createSetLookup(table.sets) }))
}

function policyEffects({ family, name }: Table, chain: NftChain): readonly Effect[] {
  const table = `nftables ${family} ${name}`
  const policy = { text: 'policy drop', target: 'drop', jumpsTo: '', comment: 'policy', servicePort: '' }
  return [{ kind: 'step', step: (hook) => ({ hook, table, chain: chain.name, ...policy }) }, { kind: 'drop' }]
}

/** A table with what the lowering of its chains needs. */
interface TableScope extends IndexedTable {
  readonly missing: MissingTableContent
  readonly owners: () => ReadonlyMap<string, string>
}

type ChainLookup = (stage: Stage, name: string) => Chain | undefined

/** Returns the chains of a table for each stage. A chain is lowered when a packet first enters it. */
function createChainLookup(scope: TableScope): ChainLookup {
  const byName = createLazyGetter(() => new Map(scope.table.chains.map((chain) => [chain.name, chain])))
  const lowered = new Map<string, Chain | undefined>()
  const find: ChainLookup = (stage, name) => {
    const key = `${stage} ${name}`
    if (!lowered.has(key)) {
      const chain = byName().get(name)
      lowered.set(key, chain === undefined ? missingChain(name, scope) : lowerChain(chain, stage, scope, find))
    }
    return lowered.get(key)
  }
  return find
}

function missingChain(name: string, { missing }: TableScope): Chain | undefined {
  const reason = missing.missingPartOfChain(name)
  return reason === undefined ? undefined : { name, instructionsFor: () => [], missing: { what: 'all', reason } }
}

function lowerChain({ name, rules }: NftChain, stage: Stage, scope: TableScope, find: ChainLookup): Chain {
  const reason = scope.missing.missingPartOfChain(name)
  const referTo = (called: string): ChainReference => ({ name: called, resolve: () => find(stage, called) })
  const missingPartOf = scope.missing.missingPartOfSets
  const lowerFor = (family: IpFamily) =>
    createLazyGetter(() =>
      indexInstructions(
        rules.flatMap((rule) => lowerRule({ ...scope, chain: name, rule, family, stage, referTo, missingPartOf })),
      ),
    )
  const byFamily = { IPv4: lowerFor('IPv4'), IPv6: lowerFor('IPv6') }
  return {
    name,
    instructionsFor: (packet, allPorts) => byFamily[packet.family]().instructionsFor(packet, allPorts),
    ignoresDestination: ({ family }) => byFamily[family]().ignoresDestination,
    missing: reason === undefined ? undefined : { what: 'some', reason },
  }
}
