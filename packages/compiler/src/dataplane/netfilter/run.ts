/** One run of one tool. The runs of a list are made in their order, each only after the one before has succeeded. */
export interface Run {
  /** The program, such as `iptables-restore`. */
  readonly tool: string
  readonly args: readonly string[]
  /** What the tool reads from its standard input; empty for tools that are told everything by their arguments. */
  readonly input: string
  /** What it is for, a short phrase. */
  readonly purpose: string
  /** The arguments of a run that asks whether there is anything to do: where it succeeds, this one is left out. */
  readonly unless?: readonly string[] | undefined
  /** The tool also fails where there was nothing to do. */
  readonly mayFail?: boolean | undefined
  /** The node may lack the tool: then there is nothing to do. */
  readonly toolMayBeMissing?: boolean | undefined
}

/**
 * When a run is made among those of other languages.
 * - `provide`: it brings what nothing leads to yet: sets and entries, servers, addresses, new chains
 * - `switch`: it changes the rules that lead packets there
 * - `withdraw`: it takes away what nothing leads to any more
 */
export type Phase = 'provide' | 'switch' | 'withdraw'

export interface PhasedRun {
  readonly phase: Phase
  readonly run: Run
}
