import type { Diagnostic, Node } from '@kube-rules/types'
import type { EffectiveConfiguration } from '../configuration/effective-configuration.js'
import { CONFIGURATION } from '../configuration/read-configuration.js'
import { describe, referenceOf } from '../reading/findings.js'

export interface ChosenNode {
  /** Empty where no node is known; no endpoint is local then. */
  readonly name: string
  /** Absent where `nodes` holds no Node of that name. */
  readonly node?: Node | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The node to write rules for: `nodeName`, else the `hostnameOverride` of the configuration (trimmed, in lower case, as
 * `GetHostname` of kube-proxy v1.30 does), else the only Node there is. Of two Nodes with one name the first counts.
 */
export function chooseNode(
  nodes: Iterable<Node>,
  nodeName: string | undefined,
  { hostnameOverride }: EffectiveConfiguration,
): ChosenNode {
  const given = [...nodes]
  const name = nodeName || hostnameOverride.trim().toLowerCase() || nameOfOnly(given)
  const node = name === '' ? undefined : given.find((candidate) => referenceOf('Node', candidate).name === name)
  return { name, node, diagnostics: node === undefined ? [unknownNode(name)] : [] }
}

function nameOfOnly(nodes: readonly Node[]): string {
  return nodes.length === 1 ? referenceOf('Node', nodes[0]).name : ''
}

function unknownNode(name: string): Diagnostic {
  if (name !== '') {
    const message = `there is no Node ${describe(name)}: its zone, addresses and pod networks are not known`
    return { severity: 'warning', code: 'unknownNode', object: { kind: 'Node', name }, message }
  }
  const message = 'no node is named, so no endpoint counts as local'
  const expected = 'a node name, a hostnameOverride, or exactly one Node'
  return {
    severity: 'warning',
    code: 'unknownNode',
    object: CONFIGURATION,
    path: 'hostnameOverride',
    message,
    expected,
  }
}
