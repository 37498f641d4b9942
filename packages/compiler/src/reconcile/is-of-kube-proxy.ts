import { PROXY_MODES, type ProxyMode } from '../targets/modes.js'
import { OWNERSHIP } from './ownerships.js'

/**
 * Reports whether kube-proxy creates, and possibly leaves behind, the resource with an id (`nat/KUBE-SERVICES`) in any
 * mode.
 */
export function belongsToKubeProxy(id: string): boolean {
  return PROXY_MODES.some((name) => OWNERSHIP[name].isModeSpecific(id))
}

/** Reports whether rules of kube-proxy may refer to the resource: `nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP`. */
export function isNamedByKubeProxy(id: string): boolean {
  return PROXY_MODES.some((name) => OWNERSHIP[name].isModeSpecific(id) || OWNERSHIP[name].matches?.(id) === true)
}

/** Returns the modes that create one of these ids, if no other mode creates it. */
export function modesOfOne(ids: Iterable<string>): readonly ProxyMode[] {
  const found = new Set<ProxyMode>()
  for (const id of ids) {
    const [maker, ...others] = PROXY_MODES.filter((name) => OWNERSHIP[name].isModeSpecific(id))
    if (maker !== undefined && others.length === 0) found.add(maker)
  }
  return PROXY_MODES.filter((name) => found.has(name))
}
