import type { Diagnostic, HostFacts, IpFamily, Node, ObjectReference } from '@kube-rules/types'
import { parseCidr } from '@kube-rules/types/internal/cidr'
import { isLoopback, parseIp } from '@kube-rules/types/internal/ip'
import { splitClusterCidr, splitHostPort } from '../configuration/configured-addresses.js'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import { type ServiceCidrs, serviceNetworksOfFamily } from '../configuration/service-cidrs.js'
import { createFamilySettings, type FamilySettings } from '../configuration/settings.js'
import { readInterfaceAddresses } from './interface-addresses.js'
import { useNodeAtStart } from './node-at-start.js'
import { createNodeFacts, type NodeFacts } from './node-facts.js'
import { detectNodeIps, type NodeIps } from './node-ips.js'
import { type ParsedNode, readNode, selectNode } from './parsed-node.js'
import { readProxyProcess } from './proxy-process.js'

/** The inputs for resolving the node and its families. */
export interface NodeInputs {
  readonly nodes: Iterable<Node>
  /** The node name. If it is absent, the `hostnameOverride` is used, else the name of the only Node. */
  readonly nodeName?: string | undefined
  readonly host?: HostFacts | undefined
  readonly families: readonly IpFamily[]
  /** The networks of the ServiceCIDRs; absent if unknown. */
  readonly serviceNetworks?: ServiceCidrs | undefined
}

/** All inputs of the rules of one family, except the Services and their endpoints. */
export interface FamilyNodeContext {
  readonly family: IpFamily
  readonly node: NodeFacts
  readonly settings: FamilySettings
}

/**
 * Resolves the node and the settings of each family, in the order of `families`, for a validated configuration. With
 * feature `singleStack`, only the family of the node is resolved.
 */
export function resolveNode(
  request: NodeInputs,
  configuration: EffectiveConfiguration,
  features: Features,
): { readonly families: readonly FamilyNodeContext[]; readonly diagnostics: readonly Diagnostic[] } {
  const chosen = selectNode(request.nodes, request.nodeName, configuration)
  const current = readNode(chosen.node, features.networksAsWritten)
  const reference = chosen.node && { kind: 'Node', name: chosen.name }
  const { object, diagnostics } = useNodeAtStart(current.object, reference, request.host, features.networksAsWritten)
  const interfaces = readInterfaceAddresses(request.host, object.addresses, features)
  const input = { name: chosen.name, object, interfaceAddresses: interfaces.addresses }
  const machine = { host: request.host, nodeIps: detectNodeIps(object.addresses, configuration, features) }
  const process = readProxyProcess(machine, configuration, features, request.families)
  const { primaryFamily } = machine.nodeIps
  const isSingle = features.singleStack && !features.connectionsTaken && request.families.length > 1
  const families = isSingle ? [primaryFamily] : request.families
  const results = families.map((family) => {
    const { facts, diagnostics: ofFamily } = createNodeFacts(input, configuration, features, family)
    const proxy = process.of(family)
    const node = proxy === undefined ? facts : { ...facts, hostAddress: proxy.hostAddress }
    const loopbackServesNodePorts = node.nodePorts.containsLoopback
    const serviceNetworks = request.serviceNetworks ? serviceNetworksOfFamily(request.serviceNetworks, family) : []
    const effective = createFamilySettings(configuration, features, request.host, family, loopbackServesNodePorts)
    const settings = { ...effective, ...(proxy && { process: proxy.settings }), serviceNetworks }
    return { family, node, settings, diagnostics: ofFamily }
  })
  return {
    families: results.map(({ family, node, settings }) => ({ family, node, settings })),
    diagnostics: [
      ...chosen.diagnostics,
      ...current.diagnostics,
      ...diagnostics,
      ...interfaces.diagnostics,
      ...process.diagnostics,
      ...checkFamilies(configuration, features, chosen.name, object, families),
      ...(isSingle ? [singleFamily(primaryFamily)] : []),
      ...checkNodeAddresses(results, machine.nodeIps, configuration, chosen.name),
      ...results.flatMap((result) => result.diagnostics),
    ],
  }
}

/**
 * Warns if no address of the node is known, but `nodePortAddresses` selects the primary addresses. kube-proxy then
 * leaves out the keyword `primary`, and an empty list selects every address.
 */
function checkNodeAddresses(
  families: readonly FamilyNodeContext[],
  { addresses }: NodeIps,
  { nodePortAddresses }: EffectiveConfiguration,
  name: string,
): readonly Diagnostic[] {
  const isKnown = families.some(({ family }) => !isLoopback(addresses[family]))
  if (isKnown || !nodePortAddresses.includes('primary')) return []
  const isOpen = families.some(({ node }) => node.nodePorts.all)
  const effect = isOpen ? 'node ports are served on every address of the node' : 'it selects no address'
  const object = name === '' ? CONFIGURATION_REFERENCE : { kind: 'Node', name }
  const message = `no address of the node is known for "primary" in nodePortAddresses: ${effect}`
  const expected = 'an InternalIP or ExternalIP'
  return [{ severity: 'warning', code: 'noNodeAddress', object, path: 'status.addresses', message, expected }]
}

function singleFamily(family: IpFamily): Diagnostic {
  const message = `this version of kube-proxy writes rules only for the address family of the node, ${family}`
  return { severity: 'info', code: 'otherAddressFamily', object: CONFIGURATION_REFERENCE, path: 'bindAddress', message }
}

interface FamilyCheck {
  readonly object?: ObjectReference
  readonly path: string
  readonly families: readonly (IpFamily | undefined)[]
}

/**
 * Warns of settings that contain only addresses of the secondary family of the node. If only one family is compiled,
 * `ipvs.excludeCIDRs` and the bind addresses for health checks and metrics are also checked. Mirrors `checkBadIPConfig`
 * of kube-proxy v1.30. Unlike this function, kube-proxy refuses to start if the `clusterCIDR` (single family) or the
 * pod networks of local traffic detection have the wrong family.
 */
function checkFamilies(
  configuration: EffectiveConfiguration,
  features: Features,
  nodeName: string,
  node: ParsedNode,
  families: readonly IpFamily[],
): readonly Diagnostic[] {
  const primary = detectNodeIps(node.addresses, configuration, features).primaryFamily
  const always: readonly FamilyCheck[] = [
    { path: 'clusterCIDR', families: splitClusterCidr(configuration.clusterCIDR).map(familyOfCidr) },
    { path: 'nodePortAddresses', families: configuration.nodePortAddresses.map(familyOfCidr) },
    {
      object: { kind: 'Node', name: nodeName },
      path: 'spec.podCIDRs',
      families: node.podCidrs.map((cidr) => cidr.family),
    },
  ]
  const alone: readonly FamilyCheck[] = [
    { path: 'ipvs.excludeCIDRs', families: configuration.ipvs.excludeCIDRs.map(familyOfCidr) },
    { path: 'healthzBindAddress', families: [familyOfHost(configuration.healthzBindAddress)] },
    { path: 'metricsBindAddress', families: [familyOfHost(configuration.metricsBindAddress)] },
  ]
  const checks = families.length === 1 ? [...always, ...alone] : always
  return checks.filter((check) => isOtherOnly(check, primary)).map((check) => otherFamily(check, primary))
}

function isOtherOnly({ families }: FamilyCheck, primary: IpFamily): boolean {
  return families.length > 0 && families.every((family) => family !== undefined && family !== primary)
}

function otherFamily({ object = CONFIGURATION_REFERENCE, path }: FamilyCheck, primary: IpFamily): Diagnostic {
  const message = `the node's primary address family is ${primary}, but ${path} has only addresses of the other one`
  return { severity: 'warning', code: 'otherAddressFamily', object, path, message }
}

function familyOfCidr(text: string): IpFamily | undefined {
  return parseCidr(text.trim())?.family
}

function familyOfHost(text: string): IpFamily | undefined {
  return parseIp(splitHostPort(text)?.host ?? '')?.family
}
