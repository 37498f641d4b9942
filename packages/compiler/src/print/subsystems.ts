import { checkChoice } from '../arguments/check-argument.js'
import { SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import { isDumpedByFamily as byFamily } from '../dataplane/tool-names.js'
import type { TextFormat } from '../dataplane/tool-options.js'
import { SUBSYSTEM_PRINTERS } from './subsystem-printers.js'

/**
 * Returns the names of all subsystems, in the order of application.
 *
 * @example
 * ```ts
 * listSubsystems() // => ['nftables', 'ipset', 'ipvs', 'addresses', 'iptables']
 * ```
 */
export function listSubsystems(): readonly Subsystem[] {
  return SUBSYSTEMS
}

/**
 * Returns the text formats that `print` supports for a subsystem. The first format is the input of its tool.
 *
 * @example
 * ```ts
 * formatsOf('ipvs') // => ['restore', 'save', 'listing']
 * ```
 */
export function formatsOf(subsystem: Subsystem): readonly TextFormat[] {
  checkChoice('subsystem', subsystem, SUBSYSTEMS)
  return SUBSYSTEM_PRINTERS[subsystem].formats
}

/**
 * Reports whether the tools of a subsystem print the two address families separately. If so, a dump with the state of
 * one family does not imply that the other family was dumped.
 *
 * @example
 * ```ts
 * isDumpedByFamily('iptables') // => true
 * isDumpedByFamily('ipvs') // => false
 * ```
 */
export function isDumpedByFamily(subsystem: Subsystem): boolean {
  checkChoice('subsystem', subsystem, SUBSYSTEMS)
  return byFamily(subsystem)
}
