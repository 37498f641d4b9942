/** The programs that take rules to the kernel. */
export type Tool =
  | 'iptables'
  | 'ip6tables'
  | 'iptables-restore'
  | 'ip6tables-restore'
  | 'ipset'
  | 'ipvsadm'
  | 'ip'
  | 'conntrack'

/** One run of one tool. Stages of a list are run in their order, each only after the one before has succeeded. */
export interface Stage {
  readonly tool: Tool
  readonly args: readonly string[]
  /** What the tool reads from its standard input; empty for tools that are told everything by their arguments. */
  readonly input: string
  /** What it is for, a short phrase. */
  readonly purpose: string
  /** The arguments of a run that asks whether there is anything to do: where it succeeds, the stage is left out. */
  readonly unless?: readonly string[] | undefined
  /** The tool also fails where there was nothing to do. */
  readonly mayFail?: boolean | undefined
}
