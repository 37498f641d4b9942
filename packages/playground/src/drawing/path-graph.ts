import type { FormattedPath } from '../engine/results.js'

/** A chain that a packet traverses, or a table without chains. */
export interface GraphChain {
  readonly label: string
  /** The hook and table, such as `PREROUTING nat`. */
  readonly stage: string
  readonly owner: string
  /** The first rule of the chain that applies to the packet, or the rule that jumps to the chain. */
  readonly text: string
}

/** The part of a path that differs from the other paths of the packet. */
export interface GraphBranch {
  /** The share of the packets that take the branch: `1/3`; empty if all packets take the branch. */
  readonly share: string
  readonly probability: number
  readonly chains: readonly GraphChain[]
  /** The outcome, which is an endpoint if the packet is delivered. */
  readonly end: string
  readonly kind: FormattedPath['kind']
}

/** All paths of a packet: common chains, then a branch for each path, then common chains again. */
export interface PathGraph {
  readonly before: readonly GraphChain[]
  readonly branches: readonly GraphBranch[]
  readonly after: readonly GraphChain[]
  /** The number of paths that are not part of the graph. */
  readonly left: number
}

/**
 * Builds the graph of one packet, from the first hook to the outcomes. The graph contains only the chains on the paths
 * of the packet.
 */
export function createPathGraph(paths: readonly FormattedPath[]): PathGraph {
  const visits = paths.map(visitsOf)
  const [first = []] = visits
  const shortest = Math.min(...visits.map(({ length }) => length), first.length)
  const isCommon = (indexIn: (length: number) => number) => {
    const id = first[indexIn(first.length)]?.id
    return visits.every((each) => each[indexIn(each.length)]?.id === id)
  }
  let before = 0
  while (before < shortest && isCommon(() => before)) before++
  let after = 0
  while (after < shortest - before && isCommon((length) => length - 1 - after)) after++
  return {
    before: chainsOf(first.slice(0, before)),
    branches: paths.map((path, index) =>
      branchOf(path, chainsOf(visits[index]?.slice(before, (visits[index]?.length ?? 0) - after) ?? [])),
    ),
    after: chainsOf(first.slice(first.length - after)),
    left: 0,
  }
}

/** The first visit of a path to a chain, or the point where the path chooses an endpoint, without a chain. */
interface Visit {
  readonly id: string
  readonly chain?: GraphChain
}

function visitsOf({ steps, endpoint }: FormattedPath): readonly Visit[] {
  const visits = new Map<string, Visit>()
  const visit = (chain: GraphChain) => {
    const id = `${chain.stage} ${chain.label}`
    if (!visits.has(id)) visits.set(id, { id, chain })
  }
  for (const { hook, table, chain, text, servicePort: owner, jumpsTo, rewrites } of steps) {
    const stage = `${hook} ${table.replace('iptables ', '')}`
    visit({ label: chain === '' ? table : chain, stage, owner, text })
    if (jumpsTo !== '') visit({ label: jumpsTo, stage, owner, text })
    if (rewrites === 'destination') visits.set(`to ${endpoint}`, { id: `to ${endpoint}` })
  }
  return [...visits.values()]
}

function chainsOf(visits: readonly Visit[]): readonly GraphChain[] {
  return visits.flatMap(({ chain }) => chain ?? [])
}

function branchOf(path: FormattedPath, chains: readonly GraphChain[]): GraphBranch {
  const { weight, probability, kind, endpoint, outcome } = path
  return { share: weight === '1' ? '' : weight, probability, chains, end: endpoint === '' ? outcome : endpoint, kind }
}

/** Replaces the last branches by one branch, so that at most `most` branches are left: `+47, each 1/50`. */
export function joinBranches(branches: readonly GraphBranch[], most: number): readonly GraphBranch[] {
  if (branches.length <= most) return branches
  const kept = branches.slice(0, Math.max(1, most - 1))
  const [first, ...rest] = branches.slice(kept.length)
  if (first === undefined) return kept
  const all = [first, ...rest]
  const probability = all.reduce((sum, each) => sum + each.probability, 0)
  const isEqual = rest.every(({ share }) => share === first.share)
  const kinds = new Set(all.map(({ kind }) => kind))
  const share = isEqual ? `each ${first.share}` : formatPercent(probability)
  const kind = kinds.size === 1 ? first.kind : 'unknown'
  return [...kept, { share: '', probability, chains: [], end: `+${all.length}, ${share}`, kind }]
}

/** Formats a percentage: `33 %`. */
export function formatPercent(probability: number): string {
  const hundredths = probability * 100
  return `${hundredths >= 10 || Number.isInteger(hundredths) ? Math.round(hundredths) : hundredths.toFixed(1)} %`
}
