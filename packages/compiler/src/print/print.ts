import { type NodeState, type Subsystem, subsystemsIn } from '../dataplane/node-state.js'
import type { Backend, PrintOptions, Spelling } from '../dataplane/tool-options.js'
import { PRINTERS, type Printer } from './printers.js'

export interface PrintStateOptions {
  /** The only language to print. Default: every language of which the state has something. */
  readonly language?: Subsystem | undefined
  /**
   * `restore` (default): what a tool is fed, such as `iptables-restore --noflush`, `ipset restore -exist`, `ipvsadm -R` and
   * `ip -force -batch -`. `save`: what it prints once the kernel holds the state, such as `iptables-save` without its `#`
   * lines, `ipset -sorted save` and `ipvsadm -Sn`. `listing`: what `ipvsadm -Ln` prints. A language that has no such
   * spelling is printed for its tool.
   */
  readonly spelling?: Spelling | undefined
  /** Whose `iptables-save`, where the two differ. Default `nft`. */
  readonly backend?: Backend | undefined
}

/**
 * The text of a state, in whole lines; empty for one of nothing. IPv6 tables are for `ip6tables-restore`. Of several
 * languages it is all, in the order in which they are to be applied, each under a line with its name, such as `# ipset`.
 *
 * Throws `DiagnosticsError` (`invalidArgument`) for a table read from the JSON of nft with a statement that nft's text has no words for.
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

/** What one language contributes to a text. */
export interface PartToPrint {
  readonly language: Subsystem
  /** The line above it; empty where it stands alone. */
  readonly heading: string
  /** The spelling that its tool has, and whose tool it is. */
  readonly options: PrintOptions
}

/** The parts of what `print` prints, in their order. */
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
