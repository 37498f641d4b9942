import { liveModeOf } from './live-mode-of.js'
import { modeNames } from './mode-of.js'

/** Whether the thing with an id (`nat/KUBE-SERVICES`, `ipset KUBE-CLUSTER-IP`) is one that kube-proxy makes in any mode. */
export function isOfKubeProxy(id: string): boolean {
  return modeNames().some((name) => liveModeOf(name).leavesBehind(id))
}
