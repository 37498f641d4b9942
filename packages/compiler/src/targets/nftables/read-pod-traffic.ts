import { parseCidr } from '@kube-rules/types'
import type { Statement } from '../../dataplane/nftables/ast.js'
import type { NftablesState } from '../../dataplane/nftables/state.js'
import type { PodTraffic } from '../../node/pod-traffic.js'
import { isTableOfKubeProxy, MARK_CHAIN } from './fixed-names.js'

/**
 * How rules tell packets of pods from others: by the condition that exempts them from masquerading, the inverse of
 * `podTrafficMatch`. Undefined where no rule does.
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
