import type { Diagnostic } from '@kube-rules/types'
import type { PlanFrame } from '../../plan/plan.js'

/**
 * A warning where kube-proxy tells pods by an interface and does not match it by name yet: nft then looks the interface up when
 * it loads the rules, and takes no prefix, so that it may never finish a sync.
 */
export function checkInterfaces({ node, kernel }: PlanFrame): readonly Diagnostic[] {
  const { podTraffic } = node
  if (podTraffic === undefined || podTraffic.by === 'cidr' || kernel.features.interfacesByName) return []
  const message =
    podTraffic.by === 'interface'
      ? `kube-proxy of this version writes no rule in mode nftables as long as the node has no interface ${podTraffic.interface}: nft looks it up when it loads the rules`
      : `kube-proxy of this version never writes a rule in mode nftables with interfaces ${podTraffic.prefix}*: nft takes no prefix where it looks an interface up`
  const path = podTraffic.by === 'interface' ? 'detectLocal.bridgeInterface' : 'detectLocal.interfaceNamePrefix'
  const object = { kind: 'KubeProxyConfiguration', name: 'config' }
  return [{ severity: 'warning', code: 'modeLimitation', object, path, message }]
}
