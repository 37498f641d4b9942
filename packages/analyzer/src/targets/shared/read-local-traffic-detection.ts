import type { IptablesState, Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { withPrefixLength } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import { MARK_MASQ_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import type { IpFamily } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'

/**
 * Returns the local traffic detection of rules: the match that exempts pods from masquerading. Undefined if the rules
 * detect no local traffic. This is the inverse of `createLocalTrafficDetectionMatch`.
 */
export function readIptablesLocalTrafficDetection({
  family,
  tables,
}: IptablesState): LocalTrafficDetection | undefined {
  for (const { blocks } of tables) {
    for (const block of blocks) {
      for (const { matches, target } of getBlockRules(block)) {
        if (target?.kind !== 'jump' || target.chain !== MARK_MASQ_CHAIN) continue
        const detection = matches
          .map((match) => localTrafficDetectionOf(match, family))
          .find((each) => each !== undefined)
        if (detection !== undefined) return detection
      }
    }
  }
  return undefined
}

function localTrafficDetectionOf(match: Match, family: IpFamily): LocalTrafficDetection | undefined {
  if (match.kind === 'source' && match.negated) {
    const cidr = parseCidr(withPrefixLength(match.address, family))
    return cidr && { kind: 'cidr', cidr }
  }
  if (match.kind !== 'inInterface' || !match.negated) return undefined
  const { name } = match
  return name.endsWith('+')
    ? { kind: 'interfacePrefix', prefix: name.slice(0, -1) }
    : { kind: 'interface', interface: name }
}
