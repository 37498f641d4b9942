import type { Mode } from './mode.js'
import { type CompiledMode, MODES } from './modes.js'

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
