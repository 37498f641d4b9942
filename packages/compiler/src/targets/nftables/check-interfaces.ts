import type { Diagnostic } from '@kube-rules/types'
import type { PlanHeader } from '../../plan/plan.js'

/**
 * Warns if local traffic detection uses an interface and kube-proxy does not yet match it by name. nft then looks up
 * the interface when it loads the rules, and accepts no prefix, so that a sync may never succeed.
 */
export function checkInterfaces({ node, kernel }: PlanHeader): readonly Diagnostic[] {
  const { localTrafficDetection } = node
  if (localTrafficDetection === undefined || localTrafficDetection.kind === 'cidr' || kernel.features.interfacesByName)
    return []
  const message =
    localTrafficDetection.kind === 'interface'
      ? `kube-proxy of this version writes no rule in mode nftables while the node has no interface ${localTrafficDetection.interface}: nft looks it up when it loads the rules`
      : `kube-proxy of this version never writes a rule in mode nftables with interfaces ${localTrafficDetection.prefix}*: nft accepts no prefix there, because it looks the interface up`
  const path =
    localTrafficDetection.kind === 'interface' ? 'detectLocal.bridgeInterface' : 'detectLocal.interfaceNamePrefix'
  const object = { kind: 'KubeProxyConfiguration', name: 'config' }
  return [{ severity: 'warning', code: 'modeLimitation', object, path, message }]
}
