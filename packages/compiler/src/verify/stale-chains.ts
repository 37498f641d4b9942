import type { Rule } from '../dataplane/iptables/ast.js'
import { chainId, chainResource } from '../dataplane/iptables/resources.js'
import { isKubeProxyChain } from './kube-proxy-chains.js'
import type { LiveChains } from './live-chains.js'
import { chainText, lineOf, rulesOf } from './rule-lines.js'
import type { ChainComparison, TablePair } from './table-pair.js'

/**
 * The chains of kube-proxy among `others`, the chains that nobody wants. One to which a rule of another program leads cannot
 * be removed.
 */
export function staleChains(pair: TablePair, others: readonly string[], live: LiveChains): readonly ChainComparison[] {
  const stale = others.filter(isKubeProxyChain)
  if (stale.length === 0) return []
  const rulesIn = (chain: string) => live.rulesOf(chain) ?? []
  const holders = holdersOf(others.filter((chain) => !isKubeProxyChain(chain)).flatMap(rulesIn))
  return stale.map((chain) => staleChain(pair, chain, rulesIn(chain), holders.get(chain)))
}

function staleChain(
  pair: TablePair,
  chain: string,
  rules: readonly Rule[],
  holder: string | undefined,
): ChainComparison {
  const { name } = pair.wanted
  const lines = rules.map((rule) => lineOf(rule, '', pair))
  const note = holder === undefined ? '' : `; it cannot be removed, because ${holder} leads to it`
  const drift = {
    language: 'iptables',
    place: chainId(name, chain),
    kind: 'extra',
    found: chainText(chain, lines),
    reason: `a chain that kube-proxy would have removed${note}`,
  } as const
  const before = chainResource(name, chain, rulesOf(lines))
  const after = holder === undefined ? undefined : chainResource(name, chain, [])
  return { findings: [{ servicePort: pair.owners().chains.get(chain) ?? '', drift }], pairs: [{ before, after }] }
}

/** For each chain to which rules lead, the chain of such a rule. */
function holdersOf(rules: readonly Rule[]): ReadonlyMap<string, string> {
  return new Map(
    rules.flatMap(({ chain, verdict }) =>
      verdict?.kind === 'jump' || verdict?.kind === 'goto' ? [[verdict.chain, chain] as const] : [],
    ),
  )
}
