import type { Diagnostic, HostFacts, IpFamily, Node } from '@kube-rules/types'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import { type ServiceCidrs, serviceNetworksOfFamily } from '../configuration/service-cidrs.js'
import { createFamilySettings, type FamilySettings } from '../configuration/settings.js'
import { checkFamilies } from './check-families.js'
import { readInterfaceAddresses } from './interface-addresses.js'
import { createNodeFacts, type NodeFacts } from './node-facts.js'
import { detectNodeIps } from './node-ips.js'
import { readNode, selectNode } from './parsed-node.js'
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
  const { object, diagnostics: objectDiagnostics } = readNode(chosen.node, features.networksAsWritten)
  const interfaces = readInterfaceAddresses(request.host, object.addresses, features)
  const input = { name: chosen.name, object, interfaceAddresses: interfaces.addresses }
  const machine = { host: request.host, nodeIps: detectNodeIps(object.addresses, configuration, features) }
  const process = readProxyProcess(machine, configuration, features, request.families)
  const { primaryFamily } = machine.nodeIps
  const isSingle = features.singleStack && !features.connectionsTaken && request.families.length > 1
  const families = isSingle ? [primaryFamily] : request.families
  const results = families.map((family) => {
    const { facts, diagnostics } = createNodeFacts(input, configuration, features, family)
    const proxy = process.of(family)
    const node = proxy === undefined ? facts : { ...facts, hostAddress: proxy.hostAddress }
    const loopbackServesNodePorts = node.nodePorts.containsLoopback
    const serviceNetworks = request.serviceNetworks ? serviceNetworksOfFamily(request.serviceNetworks, family) : []
    const effective = createFamilySettings(configuration, features, request.host, family, loopbackServesNodePorts)
    const settings = { ...effective, ...(proxy && { process: proxy.settings }), serviceNetworks }
    return { family, node, settings, diagnostics }
  })
  return {
    families: results.map(({ family, node, settings }) => ({ family, node, settings })),
    diagnostics: [
      ...chosen.diagnostics,
      ...objectDiagnostics,
      ...interfaces.diagnostics,
      ...process.diagnostics,
      ...checkFamilies(configuration, features, chosen.name, object, families),
      ...(isSingle ? [singleFamily(primaryFamily)] : []),
      ...results.flatMap(({ diagnostics }) => diagnostics),
    ],
  }
}

function singleFamily(family: IpFamily): Diagnostic {
  const message = `this version of kube-proxy writes rules only for the address family of the node, ${family}`
  return { severity: 'info', code: 'otherAddressFamily', object: CONFIGURATION_REFERENCE, path: 'bindAddress', message }
}
