import type { IptablesState, Match } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { rulesIn } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { withPrefixLength } from '@kube-rules/compiler/internal/dataplane/iptables/network'
import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import { MARK_MASQ_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import { type IpFamily, parseCidr } from '@kube-rules/types'

/**
 * Returns the local traffic detection of rules: the match that exempts pods from masquerading, the inverse of
 * `podTrafficMatch`. Undefined if there is none.
 */
export function readPodTraffic({ family, tables }: IptablesState): PodTraffic | undefined {
  for (const { blocks } of tables) {
    for (const block of blocks) {
      for (const { matches, verdict } of rulesIn(block)) {
        if (verdict?.kind !== 'jump' || verdict.chain !== MARK_MASQ_CHAIN) continue
        const found = matches.map((match) => podTrafficOf(match, family)).find((each) => each !== undefined)
        if (found !== undefined) return found
      }
    }
  }
  return undefined
}

function podTrafficOf(match: Match, family: IpFamily): PodTraffic | undefined {
  if (match.kind === 'source' && match.negated) {
    const cidr = parseCidr(withPrefixLength(match.address, family))
    return cidr && { by: 'cidr', cidr }
  }
  if (match.kind !== 'inInterface' || !match.negated) return undefined
  const { name } = match
  return name.endsWith('+')
    ? { by: 'interfacePrefix', prefix: name.slice(0, -1) }
    : { by: 'interface', interface: name }
}
