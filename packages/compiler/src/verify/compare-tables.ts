import type { IptablesState, Table } from '../dataplane/iptables/ast.js'
import { BUILT_IN_CHAINS, isBuiltInChain } from '../dataplane/iptables/built-in-chains.js'
import { chainId } from '../dataplane/iptables/resources.js'
import { lazily } from '../internal/lazily.js'
import { compareChain } from './compare-chain.js'
import { compareJumps } from './compare-jumps.js'
import type { Comparison } from './finding.js'
import { isOtherKubeChain } from './kube-proxy-chains.js'
import { liveChains } from './live-chains.js'
import type { Unverified } from './report.js'
import { staleChains } from './stale-chains.js'
import { AS_WANTED, type ChainComparison, liveOwners, type TablePair } from './table-pair.js'
import { wantedChains } from './wanted-chains.js'

export interface TableComparison extends Comparison {
  readonly otherChains: readonly string[]
}

/** Compares the tables that were compiled with those that were dumped; other tables are not looked at. */
export function compareTables(wanted: IptablesState, live: IptablesState): TableComparison {
  const owners = lazily(() => liveOwners(live))
  const comparisons = wanted.tables.map((table) => {
    const found = live.tables.find(({ name }) => name === table.name)
    if (found === undefined) return { ...NOTHING, unverified: [tableUnverified(table)] }
    return compareTable({ wanted: table, live: found, family: wanted.family, owners })
  })
  return {
    findings: comparisons.flatMap(({ findings }) => findings),
    pairs: comparisons.flatMap(({ pairs }) => pairs),
    unverified: comparisons.flatMap(({ unverified }) => unverified),
    otherChains: comparisons.flatMap(({ otherChains }) => otherChains),
  }
}

const NOTHING: TableComparison = { findings: [], pairs: [], unverified: [], otherChains: [] }

function tableUnverified({ name }: Table): Unverified {
  return { part: `iptables ${name}` as Unverified['part'], reason: `the dump has no table ${name}` }
}

function compareTable(pair: TablePair): TableComparison {
  const { name } = pair.wanted
  const live = liveChains(pair.live)
  const wanted = new Set<string>()
  const parts: ChainComparison[] = []
  for (const chain of wantedChains(pair.wanted)) {
    wanted.add(chain.name)
    const comparison = compareChain(pair, chain, live.rulesOf(chain.name))
    if (comparison !== AS_WANTED) parts.push(comparison)
  }
  const others = [...live.names].filter((chain) => !wanted.has(chain) && !isBuiltInChain(name, chain))
  parts.push(...BUILT_IN_CHAINS[name].map((chain) => compareJumps(pair, chain, wanted)))
  for (const stale of staleChains(pair, others, live)) parts.push(stale)
  return {
    findings: parts.flatMap(({ findings }) => findings),
    pairs: parts.flatMap(({ pairs }) => pairs),
    unverified: [],
    otherChains: others.filter(isOtherKubeChain).map((chain) => chainId(name, chain)),
  }
}
