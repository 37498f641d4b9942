import type { IptablesState } from '../dataplane/iptables/ast.js'
import { iptablesTarget } from './iptables/target.js'
import type { IpvsModeState } from './ipvs/state.js'
import { ipvsTarget } from './ipvs/target.js'
import type { Target } from './target.js'

/** What each mode's target makes of a plan. */
export interface States {
  readonly iptables: IptablesState
  readonly ipvs: IpvsModeState
}

/** A mode of kube-proxy for which this library computes rules. */
export type CompiledMode = keyof States

export type StateOf<Mode extends CompiledMode> = States[Mode]

export const TARGETS: { readonly [Mode in CompiledMode]: Target<States[Mode]> } = {
  iptables: iptablesTarget,
  ipvs: ipvsTarget,
}

export function isCompiledMode(mode: string): mode is CompiledMode {
  return Object.hasOwn(TARGETS, mode)
}
