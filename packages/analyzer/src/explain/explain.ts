import { checkOptions, type OptionTypes } from '@kube-rules/compiler/internal/arguments/check-argument'
import { checkPacket } from '@kube-rules/compiler/internal/arguments/check-packet'
import { checkPlan } from '@kube-rules/compiler/internal/arguments/check-result'
import { checkSameFamily, checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { LocalTrafficDetection } from '@kube-rules/compiler/internal/model/node/local-traffic-detection'
import { itemsOfArgument } from '@kube-rules/compiler/internal/model/reading/object-list'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { PROXY_MODES, type ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Node, Packet, Service } from '@kube-rules/types'
import { isUnspecified } from '@kube-rules/types/internal/ip'
import { createReadSet } from '../program/read-set.js'
import { isAffinityList } from '../targets/affinity-list.js'
import { readFrontends as readIptablesFrontends } from '../targets/iptables/read-frontends.js'
import { readFrontends as readServers } from '../targets/ipvs/read-frontends.js'
import { LOCAL_TRAFFIC_DETECTION_READERS } from '../targets/local-traffic-detection-readers.js'
import { readFrontends as readNftablesFrontends } from '../targets/nftables/read-frontends.js'
import type { StateFrontend } from '../targets/state-frontend.js'
import { readFrontends as readPortals } from '../targets/userspace/read-proxies.js'
import { createTracer, getTracer, trace } from '../trace/trace.js'
import { checkTraceContext, TRACE_CONTEXT_FIELDS, type TraceContext } from '../trace/trace-context.js'
import { findProxiedAddresses, indexNodeNames } from './address-names.js'
import { chooseNodeAddress, createExampleSource, type PacketSourceContext } from './example-source.js'
import { type Explanation, explainPaths, type TracedPaths } from './explain-paths.js'
import { frontendsOfPlan, nodePortAddressOfPlan } from './frontends-of-plan.js'
import { findLoadBalancerHosts } from './load-balancer-hosts.js'
import { ORIGINS, type ReachabilityRow, type TracedFrontend, traceFrontends } from './reachability.js'

/** Returns the distinct addresses and ports of Services in a state. */
type FrontendReader = (state: NodeState) => readonly StateFrontend[]

export const FRONTEND_READERS: { readonly [M in ProxyMode]: FrontendReader } = {
  iptables: ({ iptables }) => (iptables === undefined ? [] : readIptablesFrontends(iptables)),
  ipvs: readServers,
  nftables: ({ nftables }) => (nftables === undefined ? [] : readNftablesFrontends(nftables)),
  userspace: ({ iptables }) => (iptables === undefined ? [] : readPortals(iptables)),
}

/** Options of `explain` and `traceAllFrontends`. */
export interface ExplainOptions extends TraceContext {
  /** The plan. If present, the result contains the reason and the deviations of the rules from the plan. */
  readonly plan?: Plan | undefined
  /** The Nodes of the cluster. They identify addresses of other nodes in reasons. If absent, no other nodes are known. */
  readonly nodes?: Iterable<Node> | undefined
  /**
   * The Services of the cluster. They identify load-balancer IPs that the load balancer serves itself (`ipMode: Proxy`).
   * If absent, no such address is known.
   */
  readonly services?: Iterable<Service> | undefined
  /**
   * The compiled state to compare with when `state` comes from a node. Used to distinguish drift from mode limitations.
   */
  readonly compiled?: NodeState | undefined
}

/**
 * Traces a packet (see `trace`), and explains the result if there is a plan.
 *
 * @example
 * ```ts
 * const [{ state, plan }] = compile(input, { nodeName: 'node-1' }).families
 * explain(state, packet, { plan }).reason.subject // => 'default/web:http, cluster IP'
 * ```
 */
export function explain(state: NodeState, packet: Packet, options: ExplainOptions = {}): Explanation {
  checkState('state', state)
  checkExplainOptions(options, state)
  const { plan, nodes = [], services = [], compiled, ...traceContext } = options
  const traced = traceWithAffinity(state, packet, traceContext)
  if (plan === undefined) return explainPaths(packet, traced)
  return explainPaths(packet, traced, {
    plan,
    addresses: {
      nodes: indexNodeNames(nodes),
      proxiedBy: findProxiedAddresses(services),
      hosts: findLoadBalancerHosts(services),
    },
    compiled: compiled && (() => trace(compiled, packet, traceContext)),
  })
}

/** Traces a packet, and finds the longest timeout of the session affinity that decides between its endpoints. */
function traceWithAffinity(state: NodeState, packet: Packet, traceContext: TraceContext): TracedPaths {
  checkPacket(packet, state.family)
  const readSet = createReadSet()
  const paths = getTracer(state, traceContext).trace(packet, readSet)
  const isChoice = paths.filter(({ outcome }) => outcome.kind === 'delivered').length > 1
  const seconds = Array.from(readSet.clients, ([list, timeout]) => (isAffinityList(list) ? timeout : 0))
  return isChoice && seconds.some((timeout) => timeout > 0)
    ? { paths, affinitySeconds: Math.max(...seconds) }
    : { paths }
}

/**
 * Traces a packet from a pod, from the node and from outside to every frontend. Uses the frontends of `plan`, or,
 * without a plan, the frontends in the rules. With a plan, the reasons are included. Node ports are traced at one
 * address of the node. If no address of the node is known, node ports and packets from the node are left out.
 *
 * @example
 * ```ts
 * const [{ state, plan }] = compile(input, { nodeName: 'node-1' }).families
 * const [row] = traceAllFrontends(state, { plan })
 * row.outcomes.pod // => '1 endpoint'
 * ```
 */
export function traceAllFrontends(state: NodeState, options: ExplainOptions = {}): readonly ReachabilityRow[] {
  checkState('state', state)
  checkExplainOptions(options, state)
  const { plan, compiled, ...traceContext } = options
  const facts = createSourceContext(state, traceContext, plan)
  const sources = ORIGINS.flatMap((origin) => createExampleSource(origin, facts) ?? [])
  const frontends = listFrontends(state, { plan, ...traceContext })
  return traceFrontends(frontends, sources, {
    trace: createTracer(state, traceContext),
    compiled: compiled && createTracer(compiled, traceContext),
    plan,
  })
}

/** Returns the frontends of `traceAllFrontends`, in the order of its rows. */
export function listFrontends(state: NodeState, options: ExplainOptions = {}): readonly TracedFrontend[] {
  checkState('state', state)
  checkExplainOptions(options, state)
  const { plan, ...traceContext } = options
  return plan === undefined ? frontendsOfState(state, traceContext) : frontendsOfPlan(plan)
}

const EXPLAIN_OPTIONS: OptionTypes<ExplainOptions> = {
  ...{ plan: 'other', nodes: 'other', services: 'other', compiled: 'other', ...TRACE_CONTEXT_FIELDS },
}

function checkExplainOptions(options: ExplainOptions, state: NodeState): void {
  const { plan, nodes, services, compiled } = checkOptions<ExplainOptions>(options, EXPLAIN_OPTIONS)
  checkTraceContext('options', options)
  if (plan !== undefined) checkPlan('options', plan, 'plan')
  if (nodes !== undefined) itemsOfArgument('options.nodes', 'Node', nodes as Iterable<Node>)
  if (services !== undefined) itemsOfArgument('options.services', 'Service', services as Iterable<Service>)
  if (compiled !== undefined) checkSameFamily('options', state, checkState('options', compiled, 'compiled'))
}

/** Returns facts about packet sources. Uses the plan or, without a plan, the rules. */
export function createSourceContext(
  state: NodeState,
  traceContext: TraceContext,
  plan?: Plan | undefined,
): PacketSourceContext {
  checkState('state', state)
  checkTraceContext('traceContext', traceContext)
  if (plan !== undefined) checkPlan('plan', plan)
  const { addresses } = traceContext
  const { family } = state
  if (plan === undefined) return { family, addresses, localTrafficDetection: localTrafficDetectionOf(state) }
  const { ip, localTrafficDetection, podCidrs } = plan.node
  return {
    family,
    addresses: nodeSourceAddresses(ip, addresses ?? []),
    localTrafficDetection,
    podCidrs,
    isPod: (address) => isEndpointOfPod(plan, address),
  }
}

/**
 * Returns the addresses that the kernel may use as the source of packets from the node, starting with the node IP. In
 * some versions, the node IP of kube-proxy is the bind address, which may be unspecified or none of the addresses.
 */
function nodeSourceAddresses(nodeIp: string, addresses: readonly string[]): readonly string[] {
  if (addresses.includes(nodeIp)) return [nodeIp, ...addresses]
  return isUnspecified(nodeIp) ? addresses : [...addresses, nodeIp]
}

/**
 * Reports whether an address is the address of a pod. All endpoints are pods, except the endpoints of the API server,
 * which are machines.
 */
function isEndpointOfPod({ services }: Plan, address: string): boolean {
  return services.some(
    ({ id, endpoints }) =>
      (id.namespace !== 'default' || id.name !== 'kubernetes') && endpoints.some(({ ip }) => ip === address),
  )
}

/** Returns a node address that serves node ports. Without a plan, returns any known address of the node. */
export function findNodePortAddress(traceContext: TraceContext, plan?: Plan | undefined): string | undefined {
  checkTraceContext('traceContext', traceContext)
  if (plan !== undefined) checkPlan('plan', plan)
  const { addresses } = traceContext
  if (plan !== undefined) return nodePortAddressOfPlan(plan)
  return addresses && chooseNodeAddress(addresses)
}

function localTrafficDetectionOf(state: NodeState): LocalTrafficDetection | undefined {
  for (const name of PROXY_MODES) {
    const detection = LOCAL_TRAFFIC_DETECTION_READERS[name](state)
    if (detection !== undefined) return detection
  }
  return undefined
}

/** Returns the frontends of all modes, because a node may have leftovers of another mode. */
function frontendsOfState(state: NodeState, traceContext: TraceContext): readonly TracedFrontend[] {
  const nodeAddress = findNodePortAddress(traceContext)
  const frontends = PROXY_MODES.flatMap((name) => FRONTEND_READERS[name](state))
  return frontends.flatMap(({ address, ...rest }): readonly TracedFrontend[] => {
    if (address !== undefined) return [{ ...rest, address }]
    return nodeAddress === undefined ? [] : [{ ...rest, address: nodeAddress, kind: 'nodePort' }]
  })
}
