import type { Match } from '../../dataplane/iptables/ast.js'
import type { PlanFrame, When } from '../../plan/plan.js'
import { FROM_LOCAL, podTrafficMatch } from '../shared/match.js'

/** Above this number of known endpoints, the comments of endpoint and balancing rules are omitted. */
const LARGE_CLUSTER_ENDPOINTS = 1000

/** The lowering context: inputs of the rules of every service port, apart from its plan. */
export interface Lowering {
  /** Mirrors `largeClusterMode` of kube-proxy v1.30. */
  readonly largeCluster: boolean
  /** Whether each node port has a preceding rule that counts connections through 127.0.0.0/8. */
  readonly countLocalhostNodePorts: boolean
  /** The match criteria of each clause condition; empty for all sources. */
  readonly when: Readonly<Record<When, readonly Match[]>>
}

export function lowering(frame: PlanFrame): Lowering {
  const { podTraffic } = frame.node
  return {
    largeCluster: frame.endpointCount > LARGE_CLUSTER_ENDPOINTS,
    countLocalhostNodePorts: frame.localhostNodePorts && frame.kernel.nfacctCounters,
    when: {
      anyone: [],
      fromPod: podTraffic ? [podTrafficMatch(podTraffic, false)] : [],
      notFromPod: podTraffic ? [podTrafficMatch(podTraffic, true)] : [],
      fromThisNode: [FROM_LOCAL],
    },
  }
}
