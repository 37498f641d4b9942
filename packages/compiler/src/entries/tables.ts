import { SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import type { TextFormat } from '../dataplane/tool-options.js'
import { PRINTERS } from '../print/printers.js'
import { PROXY_MODES, type ProxyMode, SUBSYSTEMS_OF_MODE } from '../targets/modes.js'

export type { Subsystem } from '../dataplane/node-state.js'
export type { IptablesBackend, TextFormat } from '../dataplane/tool-options.js'
export { isDumpedByFamily } from '../dataplane/tool-words.js'
export { isKnownIn, type ProxyMode, parseVersion, versionsOf } from '../model/configuration/versions.js'

/** The names of all subsystems, in the order in which they are applied. */
export function subsystemNames(): readonly Subsystem[] {
  return SUBSYSTEMS
}

/** Returns the names of all modes. */
export function modeNames(): readonly ProxyMode[] {
  return PROXY_MODES
}

/** The subsystems that a mode uses, in the order in which they are applied. */
export function subsystemsOf(mode: ProxyMode): readonly Subsystem[] {
  return SUBSYSTEMS_OF_MODE[mode]
}

/** How a subsystem can be spelled; the first is what its tool is fed. */
export function formatsOf(language: Subsystem): readonly TextFormat[] {
  return PRINTERS[language].formats
}
