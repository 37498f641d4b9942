import { chainsWithOwnersOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { type CoverageQueries, createCoverageQueries } from '@kube-rules/compiler/internal/dataplane/netfilter/coverage'
import type { Hook } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
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
import type { BaseChain, Program } from '../program/program.js'
import { LOWERINGS, type Lowering } from './lowerings.js'

/** Lowers a state to a program. */
export function createProgram(state: NodeState): Program {
  const coverage = coverageOf(state)
  const context = { coverage, isLeftOut: isKubeletChain, lookUpSet: lowerIpset(state.ipset, coverage) }
  const chains = [
    ...missingTables(state, coverage),
    ...presentSubsystemsOf(state).flatMap((name) => loweringOf(name).lower?.(state[name], context) ?? []),
  ].sort((a, b) => a.priority - b.priority)
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

/** Reports whether sets or chains are those of ipvs mode, without the virtual servers. */
export function lacksVirtualServers({ iptables, ipset, ipvs }: NodeState): boolean {
  if (ipvs !== undefined) return false
  return (
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
