/** One tool command. The commands of a list run in order, each only after the preceding one has succeeded. */
export interface ToolCommand {
  /** The program, such as `iptables-restore`. */
  readonly tool: string
  /** The arguments, without shell quotes. */
  readonly args: readonly string[]
  /** The standard input of the tool; empty for tools that use only arguments. */
  readonly input: string
  /** The purpose, a short phrase. */
  readonly purpose: string
  /** The arguments of a check; if it succeeds, the command is skipped. */
  readonly skipIf?: readonly string[] | undefined
  /** Whether the tool also fails if there is nothing to do. */
  readonly allowFailure?: boolean | undefined
  /** The exit statuses of the tool if there is nothing to do, for a command with `allowFailure`. Default: 1. */
  readonly nothingToDo?: readonly number[] | undefined
  /** Whether the node may lack the tool; then there is nothing to do. */
  readonly toolMayBeMissing?: boolean | undefined
}

/**
 * The phase of a command relative to the commands of other subsystems.
 * - `provide`: it creates resources without references: sets and entries, servers, addresses, new chains
 * - `switch`: it changes the rules that refer to them
 * - `withdraw`: it removes resources that are no longer referenced
 */
export type CommandPhase = 'provide' | 'switch' | 'withdraw'

export interface PhasedCommand {
  readonly phase: CommandPhase
  readonly command: ToolCommand
}
