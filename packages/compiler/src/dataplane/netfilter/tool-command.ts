/**
 * One tool command. The commands of a list run in order. Each command runs only after the preceding command has
 * succeeded.
 */
export interface ToolCommand {
  /** The program, such as `iptables-restore`. */
  readonly tool: string
  /** The arguments, without shell quotes. */
  readonly args: readonly string[]
  /** The standard input of the tool; empty for tools that use only arguments. */
  readonly input: string
  /** The purpose in a short phrase. */
  readonly purpose: string
  /** The arguments of a check. If the check succeeds, the command is skipped. */
  readonly skipIf?: readonly string[] | undefined
  /**
   * Whether the command may fail. If its exit status is one of `nothingToDo`, the failure only means that there was
   * nothing to do.
   */
  readonly allowFailure?: boolean | undefined
  /** The exit statuses that mean that there is nothing to do, for a command with `allowFailure`. Default: 1. */
  readonly nothingToDo?: readonly number[] | undefined
  /** Whether the tool may be missing on the node. If the tool is missing, there is nothing to do. */
  readonly toolMayBeMissing?: boolean | undefined
}

/**
 * The phase of a command relative to the commands of other subsystems.
 * - `provide`: the command creates resources that no rule refers to yet: sets and entries, servers, addresses, new
 * chains
 * - `switch`: the command changes the rules that refer to these resources
 * - `withdraw`: the command removes resources that are no longer referenced
 */
export type CommandPhase = 'provide' | 'switch' | 'withdraw'

export interface PhasedCommand {
  readonly phase: CommandPhase
  readonly command: ToolCommand
}
