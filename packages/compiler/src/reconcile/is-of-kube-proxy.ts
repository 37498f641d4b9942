import { type CompiledMode, PROXY_MODES } from '../targets/modes.js'
import { OWNERSHIP } from './ownerships.js'

/** Whether the thing with an id (`nat/KUBE-SERVICES`) is one that kube-proxy makes in any mode, and leaves behind. */
export function isOfKubeProxy(id: string): boolean {
  return PROXY_MODES.some((name) => OWNERSHIP[name].leavesBehind(id))
}

/** Whether it is one that rules of kube-proxy may name: `nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP`. */
export function isNamedByKubeProxy(id: string): boolean {
  return PROXY_MODES.some((name) => OWNERSHIP[name].leavesBehind(id) || OWNERSHIP[name].asks?.(id) === true)
}

/** The modes that make one of these things, which no other mode makes. */
export function modesOfOne(ids: Iterable<string>): readonly CompiledMode[] {
  const found = new Set<CompiledMode>()
  for (const id of ids) {
    const [maker, ...others] = PROXY_MODES.filter((name) => OWNERSHIP[name].leavesBehind(id))
    if (maker !== undefined && others.length === 0) found.add(maker)
  }
  return PROXY_MODES.filter((name) => found.has(name))
}
