import { checkObject, checkOptionalChoice, checkOptionalFields, checkOptions } from '../arguments/check-argument.js'
import { checkState } from '../arguments/check-state.js'
import { type NodeState, presentSubsystemsOf, SUBSYSTEMS, type Subsystem } from '../dataplane/node-state.js'
import {
  IPTABLES_BACKENDS,
  type IptablesBackend,
  type ListingOptions,
  type SubsystemFormatOptions,
  TEXT_FORMATS,
  type TextFormat,
} from '../dataplane/tool-options.js'
import { SUBSYSTEM_PRINTERS, type SubsystemPrinter } from './subsystem-printers.js'

/** Options of `print`. */
export interface PrintOptions {
  /** The only subsystem to print. If absent, every subsystem with content is printed. */
  readonly subsystem?: Subsystem | undefined
  /**
   * The text format. `restore` (default) is the input of a tool, such as `iptables-restore --noflush`, `ipset restore
   * -exist`, `ipvsadm -R` and `ip -force -batch -`. `save` is the output of a tool for the loaded state, such as
   * `iptables-save` without its `#` lines, `ipset -sorted save` and `ipvsadm -Sn`. `listing` is the output of `ipvsadm
   * -Ln`, or of `iptables -t nat -L -n` for each table. `nft list ruleset` has the content of `save`, but in an order that
   * depends on earlier updates, so compare a node with `verify`. If a subsystem does not have the format, it is printed as
   * `restore`.
   */
  readonly format?: TextFormat | undefined
  /**
   * The iptables backend whose `iptables-save` output is printed, where the output of the two backends differs.
   * Default: `nft`.
   */
  readonly backend?: IptablesBackend | undefined
  /** The columns and names of an iptables listing. */
  readonly listing?: ListingOptions | undefined
}

/**
 * Prints a state in complete lines. An empty state results in an empty string. IPv6 tables are for `ip6tables-restore`.
 * The iptables text of the format `restore` has no jumps from built-in chains, so a node with only this text serves no
 * Service: to set up a node, run the commands of `toCommands(diff(undefined, result))`.
 *
 * Several subsystems are printed in the order of application, each under a line with its name, such as `# ipset`.
 *
 * Throws `DiagnosticsError` (`invalidArgument`) for a table that was parsed from nft JSON and contains a statement
 * without a text form.
 *
 * @example
 * ```ts
 * const [{ state }] = compile(input, { nodeName: 'node-1' }).families
 * print(state, { format: 'save' }).includes('--to-destination 10.244.1.5:8080') // => true
 * ```
 */
export function print(state: NodeState, options: PrintOptions = {}): string {
  return selectPrintSections(state, options)
    .map(({ subsystem, heading, options: spelled }) => {
      const printer: SubsystemPrinter<unknown> = SUBSYSTEM_PRINTERS[subsystem]
      const text = printer.print(state[subsystem], spelled)
      return heading === '' ? text : `${heading}\n${text}`
    })
    .join('')
}

function checkPrintOptions(options: PrintOptions): void {
  const types = { subsystem: 'other', format: 'other', backend: 'other', listing: 'other' } as const
  const fields = checkOptions<PrintOptions>(options, types)
  checkOptionalChoice('options', fields, 'subsystem', SUBSYSTEMS)
  checkOptionalChoice('options', fields, 'format', TEXT_FORMATS)
  checkOptionalChoice('options', fields, 'backend', IPTABLES_BACKENDS)
  if (fields.listing === undefined) return
  const listing = checkObject('options', fields.listing, 'an object with options of a listing', 'listing')
  checkOptionalFields('options.listing', listing, ['verbose', 'lineNumbers', 'names', 'protocolNumbers'], 'boolean')
}

/** The printed text of one subsystem. */
export interface PrintSection {
  readonly subsystem: Subsystem
  /** The line that names the subsystem, printed above its text; empty if only one subsystem is printed. */
  readonly heading: string
  /** The text format for the subsystem, and the iptables backend. */
  readonly options: SubsystemFormatOptions
}

/** Returns the parts of the `print` output, in order. */
export function selectPrintSections(state: NodeState, options: PrintOptions): readonly PrintSection[] {
  checkState('state', state)
  checkPrintOptions(options)
  const { subsystem, format = 'restore', backend = 'nft', listing } = options
  const names = presentSubsystemsOf(state)
  const isAlone = subsystem !== undefined || names.length === 1
  return names
    .filter((name) => subsystem === undefined || name === subsystem)
    .map((name) => {
      const { formats } = SUBSYSTEM_PRINTERS[name]
      const known = formats.includes(format) ? format : (formats[0] ?? 'restore')
      return { subsystem: name, heading: isAlone ? '' : `# ${name}`, options: { format: known, backend, listing } }
    })
}
