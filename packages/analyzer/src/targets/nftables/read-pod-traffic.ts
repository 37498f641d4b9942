import type { Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import { isTableOfKubeProxy, MARK_CHAIN } from '@kube-rules/compiler/internal/targets/nftables/fixed-names'
import { parseCidr } from '@kube-rules/types'

/**
 * Returns the local traffic detection of rules: the match that exempts pods from masquerading, the inverse of
 * `podTrafficMatch`. Undefined if there is none.
 */
export function readPodTraffic({ tables }: NftablesState): PodTraffic | undefined {
  for (const { chains } of tables.filter(isTableOfKubeProxy)) {
    for (const { rules } of chains) {
      for (const { statements } of rules) {
        if (!statements.some(asksForMasquerade)) continue
        const found = statements.map(podTrafficOf).find((each) => each !== undefined)
        if (found !== undefined) return found
      }
    }
  }
  return undefined
}

function asksForMasquerade(statement: Statement): boolean {
  return statement.kind === 'markSet' || (statement.kind === 'jump' && statement.chain === MARK_CHAIN)
}

function podTrafficOf(statement: Statement): PodTraffic | undefined {
  if (statement.kind !== 'match' || statement.operator !== '!=' || statement.right.kind !== 'value') return undefined
  const [selector] = statement.left
  const { value } = statement.right
  if (selector?.kind === 'payload' && selector.field === 'saddr') {
    const cidr = parseCidr(value)
    return cidr && { by: 'cidr', cidr }
  }
  if (selector?.kind !== 'meta' || (selector.key !== 'iifname' && selector.key !== 'iif')) return undefined
  return value.endsWith('*')
    ? { by: 'interfacePrefix', prefix: value.slice(0, -1) }
    : { by: 'interface', interface: value }
}
