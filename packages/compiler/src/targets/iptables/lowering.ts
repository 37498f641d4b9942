import type { Settings } from '../../configuration/settings.js'
import type { Match } from '../../dataplane/iptables/ast.js'
import type { PlanFrame, When } from '../../plan/plan.js'
import { FROM_LOCAL, podTrafficMatch } from '../shared/match.js'

/** Above this many known endpoints the comments of endpoint and balancing rules are left out. */
const LARGE_CLUSTER_ENDPOINTS = 1000

/** What the rules of every service port depend on beside their own plan. */
export interface Lowering {
  /** Mirrors `largeClusterMode` of kube-proxy v1.30. */
  readonly largeCluster: boolean
  /** Whether each node port is preceded by a rule that counts connections through 127.0.0.0/8. */
  readonly countLocalhostNodePorts: boolean
  /** The match that each condition of a clause comes to; empty where anyone may come. */
  readonly when: Readonly<Record<When, readonly Match[]>>
}

export function lowering(frame: PlanFrame, settings: Settings): Lowering {
  const { podTraffic } = frame.node
  return {
    largeCluster: frame.endpointCount > LARGE_CLUSTER_ENDPOINTS,
    countLocalhostNodePorts: frame.localhostNodePorts && settings.nfacctCounters,
    when: {
      anyone: [],
      fromPod: podTraffic ? [podTrafficMatch(podTraffic, false)] : [],
      notFromPod: podTraffic ? [podTrafficMatch(podTraffic, true)] : [],
      fromThisNode: [FROM_LOCAL],
    },
  }
}
