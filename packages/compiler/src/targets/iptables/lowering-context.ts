import type { Match } from '../../dataplane/iptables/ast.js'
import type { Features } from '../../model/configuration/features.js'
import type { MasqueradePolicy, PlanHeader, TrafficSource } from '../../plan/plan.js'
import { createLocalTrafficDetectionMatch, createSourceAddressMatch, FROM_LOCAL_MATCH } from '../shared/match.js'

/** If a cluster has more known endpoints than this, the rules for endpoints and for balancing have no comments. */
const LARGE_CLUSTER_ENDPOINTS = 1000

/** The lowering context: the inputs of the rules of every service port, except the plan of the service port. */
export interface LoweringContext {
  /** Whether the cluster is so large that some comments are omitted. Mirrors `largeClusterMode` of kube-proxy v1.30. */
  readonly largeCluster: boolean
  /** Whether each node port has a preceding rule that counts connections through 127.0.0.0/8. */
  readonly countLocalhostNodePorts: boolean
  /** The matches that select the packets of each traffic source; an empty list matches all packets. */
  readonly when: Readonly<Record<TrafficSource, readonly Match[]>>
  // Only the rules of older versions need the following fields.
  readonly features: Features
  /** Whether an address of the node serves node ports. */
  readonly hasNodePortAddress: boolean
  readonly clusterIPMasquerade: MasqueradePolicy
}

export function createLoweringContext(header: PlanHeader): LoweringContext {
  const { localTrafficDetection, nodePorts } = header.node
  return {
    largeCluster: header.endpointCount > LARGE_CLUSTER_ENDPOINTS,
    countLocalhostNodePorts: header.localhostNodePorts && header.kernel.nfacctCounters,
    when: {
      anyone: [],
      fromPod: localTrafficDetection ? [createLocalTrafficDetectionMatch(localTrafficDetection, false)] : [],
      notFromPod: localTrafficDetection ? [createLocalTrafficDetectionMatch(localTrafficDetection, true)] : [],
      fromThisNode: [FROM_LOCAL_MATCH],
      fromLoopback: [createSourceAddressMatch(header.family === 'IPv4' ? '127.0.0.0/8' : '::1/128')],
    },
    features: header.kernel.features,
    hasNodePortAddress: nodePorts.all || nodePorts.addresses.length > 0,
    clusterIPMasquerade: header.clusterIPMasquerade,
  }
}
