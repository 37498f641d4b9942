import { listModes, listSubsystems, type ProxyMode, type Subsystem, subsystemsOf } from '@kube-rules/compiler'

/** Returns the subsystems that a user can select. Only modes with several subsystems offer a choice. */
export function listSubsystemChoices(): readonly Subsystem[] {
  return listSubsystems().filter((subsystem) => listModes().some((mode) => isSubsystemSelectable(mode, subsystem)))
}

/** Reports whether a mode has several subsystems, including the given subsystem. */
export function isSubsystemSelectable(mode: ProxyMode, subsystem: Subsystem): boolean {
  const subsystems = subsystemsOf(mode)
  return subsystems.length > 1 && subsystems.includes(subsystem)
}
