import type { Cidr, Diagnostic, IpFamily, ObjectReference } from '@kube-rules/types'
import { CONFIGURATION, type EffectiveConfiguration } from '../configuration/effective-configuration.js'
import type { Features } from '../configuration/features.js'
import type { NodeInterfaceAddress } from './interface-addresses.js'
import { nodeIpsOf } from './node-ips.js'
import type { NodeObject } from './node-object.js'
import { type NodePortAddresses, nodePortCidrsOfFamily, selectNodePortAddresses } from './node-port-addresses.js'
import { type PodTraffic, podTrafficOf } from './pod-traffic.js'

/** The node the rules are for. */
export interface NodeFacts {
  /** Empty where no node is known; no endpoint is local then. */
  readonly name: string
  /** The value of `topology.kubernetes.io/zone`, or empty. */
  readonly zone: string
  /** The node's own IP of this family, as source ranges are compared with. */
  readonly ip: string
  /** Only in mode userspace: the address to which packets made on the node are sent. */
  readonly hostAddress?: string | undefined
  /** Every address of this family on the node's interfaces, canonical, sorted, each once. */
  readonly addresses: readonly NodeInterfaceAddress[]
  readonly nodePorts: NodePortAddresses
  /** How traffic of this node's pods is told from other traffic; absent where that is not possible. */
  readonly podTraffic?: PodTraffic | undefined
  /** The networks of this family from which the Node's pods have their addresses; no rule need know them. */
  readonly podCidrs: readonly Cidr[]
}

/** What is known of the node, both families. */
export interface NodeInput {
  /** Empty where no node is known. */
  readonly name: string
  readonly object: NodeObject
  readonly interfaceAddresses: readonly NodeInterfaceAddress[]
}

/** The node as rules of one family see it, and what its node-port addresses and pod networks lack. */
export function nodeFactsOf(
  input: NodeInput,
  configuration: EffectiveConfiguration,
  features: Features,
  family: IpFamily,
): { readonly facts: NodeFacts; readonly diagnostics: readonly Diagnostic[] } {
  const nodeIps = nodeIpsOf(input.object.addresses, configuration)
  const addresses = input.interfaceAddresses.filter(({ address }) => address.includes(':') === (family === 'IPv6'))
  const cidrs = nodePortCidrsOfFamily(configuration, nodeIps, features, family)
  const nodePorts = selectNodePortAddresses(cidrs, addresses)
  const podTraffic = podTrafficOf(configuration, input.object, family)
  const facts: NodeFacts = {
    name: input.name,
    zone: input.object.zone,
    ip: nodeIps.addresses[family],
    addresses,
    nodePorts,
    podTraffic,
    podCidrs: input.object.podCidrs.filter((cidr) => cidr.family === family),
  }
  return {
    facts,
    diagnostics: [
      ...checkNodePorts(nodePorts, cidrs, family),
      ...(features.connectionsTaken
        ? []
        : checkPodTraffic(podTraffic, configuration.detectLocalMode, input.name, family)),
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
  return [{ severity: 'warning', code: 'noNodePortAddress', object: CONFIGURATION, path, message }]
}

function checkPodTraffic(
  podTraffic: PodTraffic | undefined,
  mode: string,
  nodeName: string,
  family: IpFamily,
): readonly Diagnostic[] {
  if (podTraffic !== undefined || (mode !== 'ClusterCIDR' && mode !== 'NodeCIDR')) return []
  const byNode = mode === 'NodeCIDR'
  const object: ObjectReference = byNode ? { kind: 'Node', name: nodeName } : CONFIGURATION
  const path = byNode ? 'spec.podCIDRs' : 'clusterCIDR'
  const message = `no ${family} network of pods: traffic of pods cannot be told from other traffic`
  return [{ severity: 'info', code: 'noLocalTrafficDetection', object, path, message }]
}
