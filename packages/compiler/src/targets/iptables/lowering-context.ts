import type { Match } from '../../dataplane/iptables/ast.js'
import type { PlanHeader, TrafficSource } from '../../plan/plan.js'
import { createLocalTrafficDetectionMatch, createSourceAddressMatch, FROM_LOCAL_MATCH } from '../shared/match.js'
import { createLegacyLoweringContext, type LegacyLoweringContext } from './legacy-lowering-context.js'

/** Above this number of known endpoints, the comments of endpoint and balancing rules are omitted. */
const LARGE_CLUSTER_ENDPOINTS = 1000

/** The lowering context: inputs of the rules of every service portexcept its plan. */
export interface LoweringContext extends LegacyLoweringContext {
  /** Mirrors `largeClusterMode` of kube-proxy v1.30. */
  readonly largeCluster: boolean
  /** Whether each node port has a preceding rule that counts connections through 127.0.0.0/8. */
  readonly countLocalhostNodePorts: boolean
  /** The match criteria of each clause condition; empty for all sources. */
  readonly when: Readonly<Record<TrafficSource, readonly Match[]>>
}

export function createLoweringContext(frame: PlanHeader): LoweringContext {
  const { localTrafficDetection } = frame.node
  return {
    largeCluster: frame.endpointCount > LARGE_CLUSTER_ENDPOINTS,
    countLocalhostNodePorts: frame.localhostNodePorts && frame.kernel.nfacctCounters,
    ...createLegacyLoweringContext(frame),
    when: {
      anyone: [],
      fromPod: localTrafficDetection ? [createLocalTrafficDetectionMatch(localTrafficDetection, false)] : [],
      notFromPod: localTrafficDetection ? [createLocalTrafficDetectionMatch(localTrafficDetection, true)] : [],
      fromThisNode: [FROM_LOCAL_MATCH],
      fromLoopback: [createSourceAddressMatch(frame.family === 'IPv4' ? '127.0.0.0/8' : '::1/128')],
    },
  }
}
