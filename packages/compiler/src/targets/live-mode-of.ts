import type { LiveMode } from './live-mode.js'
import { LIVE_MODES } from './live-modes.js'
import type { CompiledMode } from './modes.js'

/** How a mode deals with a node. */
export function liveModeOf(name: CompiledMode): LiveMode {
  return LIVE_MODES[name]
}
