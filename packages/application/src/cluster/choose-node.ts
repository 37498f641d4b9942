import type { KubeProxyConfiguration, Node } from '@kube-rules/types'

/** The node that rules are computed for. */
export interface ChosenNode {
  /** The name of the node; undefined if the compiler takes the only Node. */
  readonly name: string | undefined
  /** Whether the name is only the first of several. */
  readonly isGuess: boolean
  /** Notes about the choice, without a `note: ` prefix. */
  readonly notes: readonly string[]
}

/**
 * Chooses the node: the given name, or `hostnameOverride`, or the first of several Nodes by name. Without a choice, no
 * endpoint would be local, which is true of no node.
 */
export function chooseNode(
  nodes: readonly Node[],
  given: string | undefined,
  configuration: KubeProxyConfiguration | undefined,
): ChosenNode {
  const name = given ?? (configuration?.hostnameOverride || undefined)
  const names = nodes.flatMap(({ metadata }) => metadata?.name ?? []).sort()
  const [first] = names
  if (name !== undefined || first === undefined || names.length === 1) return { name, isGuess: false, notes: [] }
  const note = `rules of node ${first}, the first of ${names.length} Nodes; --node selects another`
  return { name: first, isGuess: true, notes: [note] }
}
