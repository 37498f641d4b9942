import type { IptablesState } from '../dataplane/iptables/ast.js'
import type { Lowering as IptablesLowering } from './iptables/lowering.js'
import type { ServiceBlocks } from './iptables/service-blocks.js'
import { iptablesTarget } from './iptables/target.js'
import type { Lowering as IpvsLowering } from './ipvs/lowering.js'
import type { ServiceEntries } from './ipvs/service-entries.js'
import type { IpvsModeState } from './ipvs/state.js'
import { ipvsTarget } from './ipvs/target.js'
import type { Target } from './target.js'

/** What each mode's target makes of a plan. */
export interface States {
  readonly iptables: IptablesState
  readonly ipvs: IpvsModeState
}

/** What the part of one service port depends on in each mode, and what it is. */
export interface Lowerings {
  readonly iptables: IptablesLowering
  readonly ipvs: IpvsLowering
}

export interface Parts {
  readonly iptables: ServiceBlocks
  readonly ipvs: ServiceEntries
}

/** A mode of kube-proxy for which this library computes rules. */
export type CompiledMode = keyof States

export type StateOf<Mode extends CompiledMode> = States[Mode]

export type TargetOf<Mode extends CompiledMode> = Target<States[Mode], Lowerings[Mode], Parts[Mode]>

export const TARGETS: { readonly [Mode in CompiledMode]: TargetOf<Mode> } = {
  iptables: iptablesTarget,
  ipvs: ipvsTarget,
}

export function isCompiledMode(mode: string): mode is CompiledMode {
  return Object.hasOwn(TARGETS, mode)
}
