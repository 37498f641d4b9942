import type { Rule, Table } from '../dataplane/iptables/ast.js'
import { chainId, jumpsResource } from '../dataplane/iptables/resources.js'
import { isSharedWithKubelet } from '../targets/iptables/chain-names.js'
import { alignChain, type Line } from './align-chain.js'
import { compareLines } from './compare-lines.js'
import { isKubeProxyChain } from './kube-proxy-chains.js'
import { findingOf, lineOf, rulesOf } from './rule-lines.js'
import { AS_WANTED, type ChainComparison, type TablePair } from './table-pair.js'

/**
 * Our jumps in one built-in chain: those to wanted chains, and those to chains that kube-proxy may have left over. The jump
 * to KUBE-FIREWALL stands where the kubelet or kube-proxy put it first, which is no matter.
 */
export function compareJumps(pair: TablePair, chain: string, wanted: ReadonlySet<string>): ChainComparison {
  const isOurs = ({ verdict }: Rule) =>
    (verdict?.kind === 'jump' || verdict?.kind === 'goto') &&
    (wanted.has(verdict.chain) || isKubeProxyChain(verdict.chain))
  const jumpsIn = ({ jumps }: Table) => jumps.filter((rule) => rule.chain === chain && isOurs(rule))
  const lines = (rules: readonly Rule[]) =>
    rules.map((rule): Line => ({ ...lineOf(rule, '', pair), group: groupOfJump(rule) }))
  const found = lines(jumpsIn(pair.live))
  const target = alignChain(lines(jumpsIn(pair.wanted)), found)
  const findings = compareLines(found, target).map((change) => findingOf(change, chainId(pair.wanted.name, chain)))
  if (findings.length === 0) return AS_WANTED
  const [before] = jumpsResource(pair.wanted.name, chain, rulesOf(found))
  const [after] = jumpsResource(pair.wanted.name, chain, rulesOf(target))
  return { findings, pairs: [{ before, after }] }
}

/** Jumps of one group have an order among them. */
function groupOfJump({ verdict }: Rule): string {
  return verdict?.kind === 'jump' && isSharedWithKubelet(verdict.chain) ? 'kubelet' : 'kube-proxy'
}
