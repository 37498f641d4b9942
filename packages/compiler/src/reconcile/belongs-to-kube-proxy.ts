import { PROXY_MODES, type ProxyMode } from '../targets/modes.js'
import { MODE_OWNERSHIPS } from './mode-ownerships.js'

/** Reports whether kube-proxy creates the resource with an id (`nat/KUBE-SERVICES`) in any mode. */
export function belongsToKubeProxy(id: string): boolean {
  return PROXY_MODES.some((name) => MODE_OWNERSHIPS[name].isModeSpecific(id))
}

/** Reports whether rules of kube-proxy may refer to the resource: `nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP`. */
export function isReferencedByKubeProxy(id: string): boolean {
  return PROXY_MODES.some(
    (name) => MODE_OWNERSHIPS[name].isModeSpecific(id) || MODE_OWNERSHIPS[name].matches?.(id) === true,
  )
}

/** Returns each mode that alone creates a resource with at least one of these ids, so that the resource proves the mode. */
export function findExclusiveModes(ids: Iterable<string>): readonly ProxyMode[] {
  const modes = new Set<ProxyMode>()
  for (const id of ids) {
    const [maker, ...others] = PROXY_MODES.filter((name) => MODE_OWNERSHIPS[name].isModeSpecific(id))
    if (maker !== undefined && others.length === 0) modes.add(maker)
  }
  return PROXY_MODES.filter((name) => modes.has(name))
}
