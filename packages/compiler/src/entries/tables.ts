import { SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import type { Spelling } from '../dataplane/tool-options.js'
import { PRINTERS } from '../print/printers.js'
import { type CompiledMode, PROXY_MODES, SUBSYSTEMS_OF_MODE } from '../targets/modes.js'

export type { Subsystem } from '../dataplane/node-state.js'
export type { Backend, Spelling } from '../dataplane/tool-options.js'
export { isDumpedByFamily } from '../dataplane/tool-words.js'
export { type ProxyMode, versionsOf } from '../model/configuration/versions.js'
export type { CompiledMode } from '../targets/modes.js'

/** The names of all subsystems, in the order in which they are applied. */
export function languageNames(): readonly Subsystem[] {
  return SUBSYSTEMS
}

/** Returns the names of all modes. */
export function modeNames(): readonly CompiledMode[] {
  return PROXY_MODES
}

/** The subsystems that a mode uses, in the order in which they are applied. */
export function languagesOf(mode: CompiledMode): readonly Subsystem[] {
  return SUBSYSTEMS_OF_MODE[mode]
}

/** How a subsystem can be spelled; the first is what its tool is fed. */
export function spellingsOf(language: Subsystem): readonly Spelling[] {
  return PRINTERS[language].spellings
}
