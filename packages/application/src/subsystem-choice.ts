import { modeNames, type ProxyMode, type Subsystem, subsystemNames, subsystemsOf } from '@kube-rules/compiler'

/** Returns the subsystems of modes with several subsystems. A mode with one offers no choice. */
export function listSubsystemChoices(): readonly Subsystem[] {
  return subsystemNames().filter((subsystem) => modeNames().some((mode) => hasSubsystemChoice(mode, subsystem)))
}

/** Reports whether a mode uses that subsystem among several. */
export function hasSubsystemChoice(mode: ProxyMode, subsystem: Subsystem): boolean {
  const subsystems = subsystemsOf(mode)
  return subsystems.length > 1 && subsystems.includes(subsystem)
}
