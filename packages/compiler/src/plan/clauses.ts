import type {
  Clause,
  ClauseAction,
  ClauseList,
  ClauseReason,
  EndpointPoolName,
  MasqueradePolicy,
  TrafficSource,
} from './plan.js'

/** The facts that determine the clauses (handling rules) of one service port. */
export interface ClauseInputs {
  /** Whether the traffic policy, internal or external, is Local. */
  readonly usesLocalPolicy: boolean
  /** Whether any endpoint on any node is usable. */
  readonly hasEndpoints: boolean
  /** Whether the local pool is non-empty. */
  readonly hasLocalEndpoints: boolean
  /** Whether the node has local traffic detection. */
  readonly detectsLocalTraffic: boolean
  readonly masqueradeAll: boolean
}

/** The facts that determine the clauses of external frontends. The additional facts depend on the version. */
export interface ExternalClauseInputs extends ClauseInputs {
  /** Whether the policy Cluster does not masquerade packets from pods. Has an effect only with local traffic detection. */
  readonly detectsPods: boolean
  /** Whether, with the policy Local, packets from this node itself also reach only endpoints on this node. */
  readonly keepsOwnPackets: boolean
  /** Whether, with the policy Local, packets from loopback addresses are masqueraded. */
  readonly masqueradesLoopback: boolean
}

// Clause lists are created only once, because 10,000 service plans may share them.
const NO_ENDPOINTS: ClauseList = [clause('anyone', false, { kind: 'reject' }, 'noEndpoints')]
const NO_LOCAL_ENDPOINTS: ClauseList = [clause('anyone', false, { kind: 'drop' }, 'noLocalEndpoints')]

const INTERNAL: Readonly<Record<EndpointPoolName, Readonly<Record<MasqueradePolicy, ClauseList>>>> = {
  cluster: internalClausesTo('cluster'),
  local: internalClausesTo('local'),
}

/** The clauses of userspace mode: the userspace proxy accepts all packets, regardless of the number of endpoints. */
export const PROXY_CLAUSES: ClauseList = [clause('anyone', true, { kind: 'proxy', pool: 'cluster' }, 'proxy')]

const EXTERNAL_CLUSTER: ClauseList = [masqueraded('anyone', 'cluster', 'policy')]

const POD_SHORT_CIRCUIT = direct('fromPod', 'cluster', 'podShortCircuit')
const NODE_SHORT_CIRCUIT = masqueraded('fromThisNode', 'cluster', 'nodeShortCircuit')
const LOCAL_SERVED: ClauseList = [NODE_SHORT_CIRCUIT, direct('anyone', 'local', 'policy')]
const LOCAL_UNSERVED: ClauseList = [NODE_SHORT_CIRCUIT, ...NO_LOCAL_ENDPOINTS]
const LOCAL_SERVED_TELLING_PODS: ClauseList = [POD_SHORT_CIRCUIT, ...LOCAL_SERVED]
const LOCAL_UNSERVED_TELLING_PODS: ClauseList = [POD_SHORT_CIRCUIT, ...LOCAL_UNSERVED]

/**
 * Returns the masquerade policy for packets to cluster IPs: `all` with `masqueradeAll`. Otherwise, packets from outside
 * the pod network are masqueraded, so that replies return through this node. Without local traffic detection, these
 * packets cannot be recognized, and no packets are masqueraded.
 */
export function internalMasqueradePolicyOf(
  inputs: Pick<ClauseInputs, 'masqueradeAll' | 'detectsLocalTraffic'>,
): MasqueradePolicy {
  if (inputs.masqueradeAll) return 'all'
  return inputs.detectsLocalTraffic ? 'offCluster' : 'none'
}

/**
 * Returns the clauses for packets to the cluster IP. Equal inputs return the same object.
 *
 * Mirrors the decisions on the internal policy in `syncProxyRules` of kube-proxy v1.30.
 */
export function createInternalClauses(inputs: ClauseInputs): ClauseList {
  if (!inputs.hasEndpoints) return NO_ENDPOINTS
  if (inputs.usesLocalPolicy && !inputs.hasLocalEndpoints) return NO_LOCAL_ENDPOINTS
  return createInternalPoolClauses(inputs.usesLocalPolicy ? 'local' : 'cluster', internalMasqueradePolicyOf(inputs))
}

/** Returns the clauses that send packets for the cluster IP to a pool, even if the pool has no endpoints. */
export function createInternalPoolClauses(pool: EndpointPoolName, masquerade: MasqueradePolicy): ClauseList {
  return INTERNAL[pool][masquerade]
}

/**
 * Returns the clauses for packets to external IPs, load-balancer IPs and the node port. Equal inputs usually return the
 * same object.
 *
 * Policy Cluster masquerades all packets. Policy Local preserves the client IP and uses only endpoints on this node.
 * However, packets from pods and the node itself reach all endpoints, because they need no hop over another node.
 * Mirrors the decisions on the external policy in `syncProxyRules` of kube-proxy v1.30.
 */
export function createExternalClauses(inputs: ExternalClauseInputs): ClauseList {
  if (!inputs.hasEndpoints) return NO_ENDPOINTS
  if (!inputs.usesLocalPolicy)
    return inputs.detectsPods && inputs.detectsLocalTraffic ? INTERNAL.cluster.offCluster : EXTERNAL_CLUSTER
  if (inputs.keepsOwnPackets) return clausesKeptLocal(inputs)
  if (inputs.detectsLocalTraffic)
    return inputs.hasLocalEndpoints ? LOCAL_SERVED_TELLING_PODS : LOCAL_UNSERVED_TELLING_PODS
  return inputs.hasLocalEndpoints ? LOCAL_SERVED : LOCAL_UNSERVED
}

/** Returns the clauses of policy Local if packets from this node also reach only endpoints on this node. */
function clausesKeptLocal({
  detectsLocalTraffic,
  hasLocalEndpoints,
  masqueradesLoopback,
}: ExternalClauseInputs): ClauseList {
  const ordinary = hasLocalEndpoints ? [direct('anyone', 'local', 'policy')] : NO_LOCAL_ENDPOINTS
  return [
    ...(detectsLocalTraffic ? [POD_SHORT_CIRCUIT] : []),
    ...(hasLocalEndpoints && masqueradesLoopback ? [masqueraded('fromLoopback', 'local', 'policy')] : []),
    ...ordinary,
  ]
}

function internalClausesTo(pool: EndpointPoolName): Readonly<Record<MasqueradePolicy, ClauseList>> {
  const ordinary = direct('anyone', pool, 'policy')
  return {
    all: [masqueraded('anyone', pool, 'masqueradeAll')],
    offCluster: [masqueraded('notFromPod', pool, 'offCluster'), ordinary],
    none: [ordinary],
  }
}

function direct(when: TrafficSource, pool: EndpointPoolName, reason: ClauseReason): Clause {
  return clause(when, false, { kind: 'pool', pool }, reason)
}

function masqueraded(when: TrafficSource, pool: EndpointPoolName, reason: ClauseReason): Clause {
  return clause(when, true, { kind: 'pool', pool }, reason)
}

function clause(when: TrafficSource, masquerade: boolean, verdict: ClauseAction, reason: ClauseReason): Clause {
  return { source: when, masquerade, action: verdict, reason }
}
