import { chainsWithOwnersOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { type CoverageQueries, createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import { HOOK_PRIORITIES, HOOKS, type Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import {
  type NodeState,
  presentSubsystemsOf,
  SUBSYSTEMS,
  type Subsystem,
} from '@kube-rules/compiler/internal/dataplane/node-state'
import { belongsToKubeProxy } from '@kube-rules/compiler/internal/reconcile/belongs-to-kube-proxy'
import { isKubeletChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { isFullyDumped } from '../dataplane/fully-dumped.js'
import { lowerIpset } from '../dataplane/ipset/lower-ipset.js'
import { MISSING_TABLES_CONDITION } from '../program/missing-content.js'
import type { BaseChain, Chain, Program } from '../program/program.js'
import { LOWERINGS, type Lowering } from './lowerings.js'

/** Lowers a state to a program. */
export function createProgram(state: NodeState): Program {
  const coverage = coverageOf(state)
  const context = { coverage, isLeftOut: isKubeletChain, lookUpSet: lowerIpset(state.ipset, state.family, coverage) }
  const lowered = [
    ...missingTables(state, coverage),
    ...presentSubsystemsOf(state).flatMap((name) => loweringOf(name).lower?.(state[name], context) ?? []),
  ]
  const chains = inOrderOfCalls([...lowered, ...emptyNatChains(lowered)])
  const at = (hook: Hook) => chains.filter((chain) => chain.hook === hook)
  return {
    hooks: {
      PREROUTING: at('PREROUTING'),
      INPUT: at('INPUT'),
      FORWARD: at('FORWARD'),
      OUTPUT: at('OUTPUT'),
      POSTROUTING: at('POSTROUTING'),
    },
  }
}

/** The priorities of translation at each hook. */
const NAT_PRIORITIES: Partial<Readonly<Record<Hook, number>>> = HOOK_PRIORITIES.nat

/**
 * Sorts base chains by priority. Chains of the same priority come in the order of registration, the newest first. The
 * kernel calls all nat chains of a hook at one place, which it registers with the first of them (`nf_nat_register_fn`).
 */
function inOrderOfCalls(chains: readonly BaseChain[]): readonly BaseChain[] {
  const natChains = chains.filter(({ translates }) => translates).sort((a, b) => a.priority - b.priority)
  const oldest = chains.map(({ translates }) => translates).lastIndexOf(true)
  const newer = chains.slice(0, oldest + 1).filter(({ translates }) => !translates)
  return [...newer, ...natChains, ...chains.slice(oldest + 1)].sort((a, b) => placeOf(a) - placeOf(b))
}

/** Returns the priority of the place of a chain in the kernel. */
function placeOf({ hook, priority, translates }: BaseChain): number {
  return translates ? (NAT_PRIORITIES[hook] ?? priority) : priority
}

/**
 * Returns an empty chain for each hook of translation without a nat chain. If there is a nat chain at any hook, the
 * kernel decides about translation at each of these hooks: a packet that passes OUTPUT without a translation is not
 * translated when it enters through `lo`.
 */
function emptyNatChains(chains: readonly BaseChain[]): readonly BaseChain[] {
  const hooks = new Set(chains.flatMap(({ translates, hook }) => (translates ? [hook] : [])))
  if (hooks.size === 0) return []
  return HOOKS.flatMap((hook) => {
    const priority = NAT_PRIORITIES[hook]
    return priority === undefined || hooks.has(hook) ? [] : [{ hook, priority, translates: true, chain: EMPTY_CHAIN }]
  })
}

const EMPTY_CHAIN: Chain = { name: 'nat', instructionsFor: () => [], ignoresDestination: () => true }

/** Returns the queries about the completeness of a state; undefined if it is complete. */
export function coverageOf({ coverage }: NodeState): CoverageQueries | undefined {
  return coverage === undefined ? undefined : { ...createCoverageQueries(coverage), isOwned: belongsToKubeProxy }
}

/**
 * Returns chains for tables that the dump does not show. If such tables may exist, every path through PREROUTING or
 * OUTPUT begins with an assumption about these tables.
 */
function missingTables(state: NodeState, coverage: CoverageQueries | undefined): readonly BaseChain[] {
  if (coverage === undefined || SUBSYSTEMS.some((name) => isFullyDumped(name, state, coverage))) return []
  const chain = {
    name: 'missing tables',
    instructionsFor: () => [],
    missing: { what: 'some', reason: describeMissingTables(state), condition: MISSING_TABLES_CONDITION },
  } as const
  const priority = Number.NEGATIVE_INFINITY
  return (['PREROUTING', 'OUTPUT'] as const).map((hook) => ({ hook, priority, translates: false, chain }))
}

/** Describes the tables that the dump does not show, by name if kube-proxy has rules in them. */
function describeMissingTables(state: NodeState): string {
  const { iptables } = state
  if (lacksVirtualServers(state)) return 'the virtual servers of ipvs are not in the dump'
  const missing =
    iptables === undefined ? [] : PROXY_TABLES.filter((name) => !iptables.tables.some((table) => table.name === name))
  if (missing.length === 0) return 'not all tables are in the dump'
  return missing.length === 1
    ? `table ${missing.join()} is not in the dump`
    : `tables ${missing.join(' and ')} are not in the dump`
}

/** Reports whether sets, chains or addresses are those of ipvs mode, without the virtual servers. */
export function lacksVirtualServers({ addresses, iptables, ipset, ipvs }: NodeState): boolean {
  if (ipvs !== undefined) return false
  return (
    addresses !== undefined ||
    ipset?.sets.some(({ name }) => name.startsWith('KUBE-')) === true ||
    iptables?.tables.some((table) => [...chainsWithOwnersOf(table).keys()].some((chain) => OF_IPVS.test(chain))) ===
      true
  )
}

const OF_IPVS = /^KUBE-(?:FIRE-WALL|LOAD-BALANCER|NODE-PORT$|IPVS-)/

/** The iptables tables with the rules of kube-proxy. */
const PROXY_TABLES = ['nat', 'filter'] as const

/** Returns the lowering of a subsystem, without the type of the state that it reads. */
export function loweringOf(name: Subsystem): Lowering<unknown> {
  return LOWERINGS[name]
}
