import { iptablesMode } from './iptables/mode.js'
import { ipvsMode } from './ipvs/mode.js'
import type { Mode } from './mode.js'

/** Every mode of kube-proxy for which this library computes rules. */
export const MODES: Modes = {
  iptables: iptablesMode,
  ipvs: ipvsMode,
}

/** The same as types. */
interface Modes {
  readonly iptables: typeof iptablesMode
  readonly ipvs: typeof ipvsMode
}

export type CompiledMode = keyof Modes

/** The names of all modes. */
export function modeNames(): readonly CompiledMode[] {
  return Object.keys(MODES) as CompiledMode[]
}

/** A mode without regard to what its parts are. */
export function modeOf(name: CompiledMode): Mode {
  return MODES[name]
}

export function isCompiledMode(mode: string): mode is CompiledMode {
  return Object.hasOwn(MODES, mode)
}
