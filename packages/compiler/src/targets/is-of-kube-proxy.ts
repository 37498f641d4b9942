import { liveModeOf } from './live-mode-of.js'
import { modeNames } from './mode-of.js'

/** Whether the thing with an id (`nat/KUBE-SERVICES`) is one that kube-proxy makes in any mode, and leaves behind. */
export function isOfKubeProxy(id: string): boolean {
  return modeNames().some((name) => liveModeOf(name).leavesBehind(id))
}

/** Whether it is one that rules of kube-proxy may name: `nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP`. */
export function isNamedByKubeProxy(id: string): boolean {
  return modeNames().some((name) => liveModeOf(name).leavesBehind(id) || liveModeOf(name).asks?.(id) === true)
}
