import type { Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import { isKubeProxyTable, MARK_CHAIN } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { parseCidr } from '@kube-rules/types/internal/cidr'

/**
 * Returns the local traffic detection of rules: the match that exempts pods from masquerading. Undefined if the rules
 * detect no local traffic. This is the inverse of `createLocalTrafficDetectionMatch`.
 */
export function readNftablesLocalTrafficDetection({ tables }: NftablesState): LocalTrafficDetection | undefined {
  for (const { chains } of tables.filter(isKubeProxyTable)) {
    for (const { rules } of chains) {
      for (const { statements } of rules) {
        if (!statements.some(asksForMasquerade)) continue
        const detection = statements.map(localTrafficDetectionOf).find((each) => each !== undefined)
        if (detection !== undefined) return detection
      }
    }
  }
  return undefined
}

function asksForMasquerade(statement: Statement): boolean {
  return statement.kind === 'markSet' || (statement.kind === 'jump' && statement.chain === MARK_CHAIN)
}

function localTrafficDetectionOf(statement: Statement): LocalTrafficDetection | undefined {
  if (statement.kind !== 'match' || statement.operator !== '!=' || statement.right.kind !== 'value') return undefined
  const [selector] = statement.left
  const { value } = statement.right
  if (selector?.kind === 'payload' && selector.field === 'saddr') {
    const cidr = parseCidr(value)
    return cidr && { kind: 'cidr', cidr }
  }
  if (selector?.kind !== 'meta' || (selector.key !== 'iifname' && selector.key !== 'iif')) return undefined
  return value.endsWith('*')
    ? { kind: 'interfacePrefix', prefix: value.slice(0, -1) }
    : { kind: 'interface', interface: value }
}
