import { type NodeState, type Subsystem, subsystemsIn } from '../dataplane/node-state.js'
import type { Backend, PrintOptions, Spelling } from '../dataplane/tool-options.js'
import { PRINTERS, type Printer } from './printers.js'

export interface PrintStateOptions {
  /** The only subsystem to print. Default: every subsystem with content. */
  readonly language?: Subsystem | undefined
  /**
   * The text format. `restore` (default): the input of a tool, such as `iptables-restore --noflush`,
   * `ipset restore -exist`, `ipvsadm -R` and `ip -force -batch -`. `save`: its output for the loaded state, such as
   * `iptables-save` without its `#` lines, `ipset -sorted save` and `ipvsadm -Sn`. `listing`: the output of
   * `ipvsadm -Ln`. A subsystem without that format is printed as `restore`.
   */
  readonly spelling?: Spelling | undefined
  /** The variant of `iptables-save` if the two backends differ. Default `nft`. */
  readonly backend?: Backend | undefined
}

/**
 * Prints a state in complete lines; empty for an empty state. IPv6 tables are for `ip6tables-restore`. Several
 * subsystems are printed in the order of application, each under a line with its name, such as `# ipset`.
 *
 * Throws `DiagnosticsError` (`invalidArgument`) for a table that was parsed from nft JSON and contains a statement
 * without a text form.
 */
export function print(state: NodeState, options: PrintStateOptions = {}): string {
  return partsToPrint(state, options)
    .map(({ language, heading, options: spelled }) => {
      const printer: Printer<unknown> = PRINTERS[language]
      const text = printer.print(state[language], spelled)
      return heading === '' ? text : `${heading}\n${text}`
    })
    .join('')
}

/** The part of a text for one subsystem. */
export interface PartToPrint {
  readonly language: Subsystem
  /** The heading line; empty if it is the only subsystem. */
  readonly heading: string
  /** The text format of its tool, and the backend. */
  readonly options: PrintOptions
}

/** Returns the parts of the `print` output, in order. */
export function partsToPrint(
  state: NodeState,
  { language, spelling = 'restore', backend = 'nft' }: PrintStateOptions,
): readonly PartToPrint[] {
  const names = subsystemsIn(state)
  const isAlone = language !== undefined || names.length === 1
  return names
    .filter((name) => language === undefined || name === language)
    .map((name) => {
      const { spellings } = PRINTERS[name]
      const known = spellings.includes(spelling) ? spelling : (spellings[0] ?? 'restore')
      return { language: name, heading: isAlone ? '' : `# ${name}`, options: { spelling: known, backend } }
    })
}
