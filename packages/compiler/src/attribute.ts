import type { NodeState } from './dataplane/languages.js'
import { liveModeOf } from './targets/live-mode-of.js'
import { modeNames } from './targets/mode-of.js'

/**
 * What a node holds, with the service port (`default/web:http/TCP`) that each thing belongs to, where that can be told: by
 * what the rules say themselves, and by `wanted`, what the node should hold. A trace through it says whose rules apply.
 * The addresses of `kube-ipvs0`, where they were not dumped, are those of the set KUBE-IPVS-IPS.
 */
export function attribute(live: NodeState, wanted?: NodeState | undefined): NodeState {
  return modeNames().reduce((state, name) => liveModeOf(name).attribute(state, wanted), live)
}
