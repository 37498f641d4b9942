import type { Cidr, Diagnostic, IpFamily, ObjectReference } from '@kube-rules/types'
import { CONFIGURATION_REFERENCE, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import type { NodeInterfaceAddress } from './interface-addresses.js'
import { createLocalTrafficDetection, type LocalTrafficDetection } from './local-traffic-detection.js'
import { detectNodeIps } from './node-ips.js'
import { type NodePortAddresses, nodePortCidrsOfFamily, selectNodePortAddresses } from './node-port-addresses.js'
import type { ParsedNode } from './parsed-node.js'

/** The node to compile for. */
export interface NodeFacts {
  /** The name of the node. If no node is known, the name is empty and no endpoint is local. */
  readonly name: string
  /** The value of the label `topology.kubernetes.io/zone`; empty if the Node has no such label. */
  readonly zone: string
  /** The IP of the node in this family. It is compared with the source ranges of Services. */
  readonly ip: string
  /** The destination of locally generated packets that are redirected to the userspace proxy; only in userspace mode. */
  readonly hostAddress?: string | undefined
  /** All distinct addresses of this family on the interfaces of the node, canonical and sorted. */
  readonly addresses: readonly NodeInterfaceAddress[]
  /** The addresses that serve node ports, as configured. */
  readonly nodePorts: NodePortAddresses
  /** Local traffic detection for the pods of this node; absent if it is not configured. */
  readonly localTrafficDetection?: LocalTrafficDetection | undefined
  /** The pod networks of the Node in this family. The rules match these networks only with `detectLocalMode: NodeCIDR`. */
  readonly podCidrs: readonly Cidr[]
  /** The labels of the Node; only with feature `topologyKeys`. */
  readonly labels?: ReadonlyMap<string, string> | undefined
}

/** The inputs of `createNodeFacts`, for both families. */
export interface NodeFactsInputs {
  /** The name; empty if no node is known. */
  readonly name: string
  readonly object: ParsedNode
  readonly interfaceAddresses: readonly NodeInterfaceAddress[]
}

/** Returns the facts about the node in one family, with diagnostics about the node-port addresses and the pod networks. */
export function createNodeFacts(
  input: NodeFactsInputs,
  configuration: EffectiveConfiguration,
  features: Features,
  family: IpFamily,
): { readonly facts: NodeFacts; readonly diagnostics: readonly Diagnostic[] } {
  const nodeIps = detectNodeIps(input.object.addresses, configuration, features)
  const isOfFamily = ({ address }: NodeInterfaceAddress) => address.includes(':') === (family === 'IPv6')
  const addresses = input.interfaceAddresses.filter(isOfFamily)
  const cidrs = nodePortCidrsOfFamily(configuration, nodeIps, features, family)
  const others = input.interfaceAddresses.filter((each) => !isOfFamily(each))
  const nodePorts: NodePortAddresses = {
    ...selectNodePortAddresses(cidrs, addresses, features),
    ...(features.nodePortNetworksOfEitherFamily && {
      otherFamilyAddresses: selectNodePortAddresses(cidrs, others, features).addresses,
    }),
  }
  const localTrafficDetection = createLocalTrafficDetection(
    configuration,
    input.object,
    family,
    features.networksAsWritten,
  )
  const facts: NodeFacts = {
    name: input.name,
    zone: input.object.zone,
    ip: nodeIps.addresses[family],
    addresses,
    nodePorts,
    localTrafficDetection,
    podCidrs: input.object.podCidrs.filter((cidr) => cidr.family === family),
    ...(features.topologyKeys && { labels: input.object.labels }),
  }
  return {
    facts,
    diagnostics: [
      ...checkNodePorts(nodePorts, cidrs, family),
      ...(features.connectionsTaken
        ? []
        : checkLocalTrafficDetection(localTrafficDetection, configuration.detectLocalMode, input.name, family)),
    ],
  }
}

function checkNodePorts(
  { all, addresses }: NodePortAddresses,
  cidrs: readonly string[],
  family: IpFamily,
): readonly Diagnostic[] {
  if (all || addresses.length > 0) return []
  const message = `no ${family} address of this node lies in ${cidrs.join(', ')}: node ports are not served`
  const path = 'nodePortAddresses'
  return [{ severity: 'warning', code: 'noNodePortAddress', object: CONFIGURATION_REFERENCE, path, message }]
}

function checkLocalTrafficDetection(
  localTrafficDetection: LocalTrafficDetection | undefined,
  mode: string,
  nodeName: string,
  family: IpFamily,
): readonly Diagnostic[] {
  if (localTrafficDetection !== undefined || (mode !== 'ClusterCIDR' && mode !== 'NodeCIDR')) return []
  const byNode = mode === 'NodeCIDR'
  const object: ObjectReference = byNode ? { kind: 'Node', name: nodeName } : CONFIGURATION_REFERENCE
  const path = byNode ? 'spec.podCIDRs' : 'clusterCIDR'
  const message = `no ${family} network of pods: traffic of pods cannot be distinguished from other traffic`
  return [{ severity: 'info', code: 'noLocalTrafficDetection', object, path, message }]
}
