import type { Cidr, Diagnostic, Node } from '@kube-rules/types'
import { isOfOtherGroup } from '@kube-rules/types/internal/api-groups'
import { type IpAddress, parseIp } from '@kube-rules/types/internal/ip'
import { parseConfiguredCidr } from '../configuration/configured-addresses.js'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import { createOtherGroupError } from '../reading/api-groups.js'
import {
  addError,
  createDiagnosticCollector,
  type DiagnosticCollector,
  describeValue,
} from '../reading/diagnostic-collector.js'
import { referenceOf } from '../reading/metadata.js'
import { readList, readMapEntry, readObject, readString } from '../reading/read-field.js'

/** The node to compile for. */
export interface SelectedNode {
  /** The name of the node. If no node is known, the name is empty and no endpoint is local. */
  readonly name: string
  /** The Node; absent if no Node has the name. */
  readonly node?: Node | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Chooses the node to compile for. The name is `nodeName`, else the `hostnameOverride` of the configuration, else the
 * name of the only Node. The `hostnameOverride` is trimmed and converted to lower case, like in `GetHostname` of
 * kube-proxy v1.30. If two Nodes have the same name, the first Node is used. Nodes of another API group are not used.
 */
export function selectNode(
  nodes: Iterable<Node>,
  nodeName: string | undefined,
  { hostnameOverride }: Pick<EffectiveConfiguration, 'hostnameOverride'>,
): SelectedNode {
  const all = [...nodes]
  const given = all.filter((node) => !isOfOtherGroup('Node', node))
  const name = nodeName || hostnameOverride.trim().toLowerCase() || nameOfOnly(given)
  const node = name === '' ? undefined : given.find((candidate) => referenceOf('Node', candidate).name === name)
  const others = given.length === all.length ? [] : all.filter((each) => isOfOtherGroup('Node', each))
  return {
    name,
    node,
    diagnostics: [
      ...others.map((other) => createOtherGroupError('Node', other)),
      ...(node === undefined ? [unknownNode(name, given)] : []),
    ],
  }
}

function nameOfOnly(nodes: readonly Node[]): string {
  return nodes.length === 1 ? referenceOf('Node', nodes[0]).name : ''
}

/**
 * Returns the diagnostic for an unknown node. If Nodes were given, but none of them has the name, the diagnostic is an
 * error.
 */
function unknownNode(name: string, given: readonly Node[]): Diagnostic {
  if (name !== '') {
    const object = { kind: 'Node', name }
    const unknownFacts = 'its zone, addresses and pod networks are unknown'
    if (given.length === 0) {
      const message = `there is no Node ${describeValue(name)}: ${unknownFacts}`
      return { severity: 'warning', code: 'unknownNode', object, message }
    }
    const message = `${describeValue(name)} matches no Node object: ${unknownFacts}`
    return { severity: 'error', code: 'unknownNode', object, message, expected: namesOf(given) }
  }
  const message = 'no node is named, so no endpoint is local'
  const expected = 'a node name, a hostnameOverride, or exactly one Node'
  return {
    severity: 'warning',
    code: 'unknownNode',
    object: CONFIGURATION_REFERENCE,
    path: 'hostnameOverride',
    message,
    expected,
  }
}

/** The maximum number of node names in a message. */
const SHOWN_NAMES = 5

function namesOf(nodes: readonly Node[]): string {
  const names = nodes.map((node) => describeValue(referenceOf('Node', node).name)).sort()
  const more = names.length > SHOWN_NAMES ? ', …' : ''
  return `one of ${names.slice(0, SHOWN_NAMES).join(', ')}${more}`
}

export const ZONE_LABEL = 'topology.kubernetes.io/zone'

/** The validated fields of a Node, for both families. */
export interface ParsedNode {
  /** The zone of the Node; empty if the Node has no zone. */
  readonly zone: string
  /**
   * The addresses of the Node: internal addresses first, then external addresses, each in the order of
   * `status.addresses`.
   */
  readonly addresses: readonly IpAddress[]
  readonly podCidrs: readonly Cidr[]
  /** The labels of the Node that have text values. */
  readonly labels: ReadonlyMap<string, string>
}

/**
 * Reads a Node. Its networks are masked unless `networksAsWritten` is true. Values of the wrong type, invalid addresses
 * and invalid networks are left out and reported as errors.
 */
export function readNode(
  node: Node | undefined,
  networksAsWritten = false,
): {
  readonly object: ParsedNode
  readonly diagnostics: readonly Diagnostic[]
} {
  const collector = createDiagnosticCollector(referenceOf('Node', node))
  const root = readObject(collector, '', node)
  const metadata = readObject(collector, 'metadata', root.metadata)
  const labels = readObject(collector, 'metadata.labels', metadata.labels)
  const object: ParsedNode = {
    zone: readMapEntry(collector, 'metadata.labels', labels, ZONE_LABEL) ?? '',
    addresses: readAddresses(collector, readObject(collector, 'status', root.status).addresses),
    podCidrs: readPodCidrs(collector, readObject(collector, 'spec', root.spec), networksAsWritten),
    labels: new Map(Object.entries(labels).filter((label): label is [string, string] => typeof label[1] === 'string')),
  }
  return { object, diagnostics: collector.diagnostics }
}

/** Reads the addresses. Mirrors `GetNodeHostIPs` of kube-proxy v1.30, which ignores other types of address. */
function readAddresses(collector: DiagnosticCollector, value: unknown): readonly IpAddress[] {
  const internal: IpAddress[] = []
  const external: IpAddress[] = []
  for (const [index, item] of readList(collector, 'status.addresses', value).entries()) {
    const path = `status.addresses[${index}]`
    const entry = readObject(collector, path, item)
    const type = readString(collector, `${path}.type`, entry.type)
    if (type !== 'InternalIP' && type !== 'ExternalIP') continue
    const address = readAddress(collector, `${path}.address`, entry.address)
    if (address !== undefined) (type === 'InternalIP' ? internal : external).push(address)
  }
  return [...internal, ...external]
}

function readAddress(collector: DiagnosticCollector, path: string, value: unknown): IpAddress | undefined {
  const address = parseIp(value)
  if (address === undefined) {
    addError(collector, 'invalidAddress', path, `${describeValue(value)} is not an address`, 'an IPv4 or IPv6 address')
  }
  return address
}

/** Reads the pod networks. If `podCIDRs` is empty, `podCIDR` is used instead, like in the API server. */
function readPodCidrs(
  collector: DiagnosticCollector,
  spec: Readonly<Record<string, unknown>>,
  asWritten: boolean,
): readonly Cidr[] {
  const listed = readList(collector, 'spec.podCIDRs', spec.podCIDRs)
  const cidrs = Array.from(listed, (item, index) => readCidr(collector, `spec.podCIDRs[${index}]`, item, asWritten))
  const single = readString(collector, 'spec.podCIDR', spec.podCIDR)
  if (listed.length === 0 && single !== '') cidrs.push(readCidr(collector, 'spec.podCIDR', single, asWritten))
  return cidrs.filter((cidr) => cidr !== undefined)
}

function readCidr(collector: DiagnosticCollector, path: string, value: unknown, asWritten: boolean): Cidr | undefined {
  const cidr = parseConfiguredCidr(readString(collector, path, value), asWritten)
  if (cidr === undefined && typeof value === 'string') {
    addError(
      collector,
      'invalidCidr',
      path,
      `${describeValue(value)} is not a network`,
      'a network such as 10.244.1.0/24',
    )
  }
  return cidr
}
