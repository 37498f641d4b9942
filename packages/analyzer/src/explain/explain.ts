import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { PodTraffic } from '@kube-rules/compiler/internal/model/node/pod-traffic'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import { PROXY_MODES } from '@kube-rules/compiler/internal/targets/modes'
import type { Node, Packet } from '@kube-rules/types'
import { POD_TRAFFIC_READERS } from '../targets/pod-traffic-readers.js'
import { prepareTrace, type Surroundings, trace } from '../trace/trace.js'
import { type Explanation, explainWays } from './explain-ways.js'
import { FRONTEND_READERS } from './frontend-readers.js'
import { frontendsOfPlan, nodePortAddressOfPlan } from './frontends-of-plan.js'
import { namesByAddress } from './names-by-address.js'
import { ownAddress } from './own-address.js'
import { type SourceFacts, sampleSource } from './sample-source.js'
import { ORIGINS, type SurveyedFrontend, type SurveyRow, surveyFrontends } from './survey.js'

export interface ExplainOptions extends Surroundings {
  /** The plan. Adds the reason, and the deviations of the rules. */
  readonly plan?: Plan | undefined
  /** The Nodes of the cluster, for identifying addresses of other nodes. Default: none. */
  readonly nodes?: Iterable<Node> | undefined
  /**
   * The compiled state to compare with when `state` comes from a node. Used to distinguish drift from mode limitations.
   */
  readonly compiled?: NodeState | undefined
}

/** Traces a packet (see `trace`), and explains the result if there is a plan. */
export function explain(state: NodeState, packet: Packet, options: ExplainOptions = {}): Explanation {
  const { plan, nodes = [], compiled, ...surroundings } = options
  const ways = prepareTrace(state, surroundings)(packet)
  if (plan === undefined) return explainWays(packet, ways)
  return explainWays(packet, ways, {
    plan,
    nodes: namesByAddress(nodes),
    compiled: compiled && (() => trace(compiled, packet, surroundings)),
  })
}

/**
 * Traces a packet from a pod, from the node and from outside to every frontend. Uses the frontends of `plan`, or those
 * found in the rules. With a plan, the reasons are included. Node ports are traced at one address of the node. They are
 * left out if none is known, and so are packets of the node.
 */
export function survey(state: NodeState, options: ExplainOptions = {}): readonly SurveyRow[] {
  const { plan, compiled, ...surroundings } = options
  const facts = sourceFacts(state, surroundings, plan)
  const sources = ORIGINS.flatMap((origin) => sampleSource(origin, facts) ?? [])
  const frontends = surveyedFrontends(state, { plan, ...surroundings })
  return surveyFrontends(frontends, sources, {
    trace: prepareTrace(state, surroundings),
    compiled: compiled && prepareTrace(compiled, surroundings),
    plan,
  })
}

/** Returns the frontends of `survey`, in the order of its rows. */
export function surveyedFrontends(
  state: NodeState,
  { plan, ...surroundings }: ExplainOptions = {},
): readonly SurveyedFrontend[] {
  return plan === undefined ? frontendsOfState(state, surroundings) : frontendsOfPlan(plan)
}

/** Returns facts about packet sources: from the plan, else from the rules. */
export function sourceFacts(state: NodeState, { addresses }: Surroundings, plan?: Plan | undefined): SourceFacts {
  const { family } = state
  if (plan === undefined) return { family, addresses, podTraffic: podTrafficOf(state) }
  const { ip, podTraffic, podCidrs } = plan.node
  return {
    family,
    addresses: [ip, ...(addresses ?? [])],
    podTraffic,
    podCidrs,
    isPod: (address) => isEndpointOfPod(plan, address),
  }
}

/**
 * Reports whether an address is that of a pod. All endpoints are pods, except those of the API server, which are
 * machines.
 */
function isEndpointOfPod({ services }: Plan, address: string): boolean {
  return services.some(
    ({ id, endpoints }) =>
      (id.namespace !== 'default' || id.name !== 'kubernetes') && endpoints.some(({ ip }) => ip === address),
  )
}

/** Returns a node address that serves node ports: from the plan, else any known one. */
export function nodePortAddress({ addresses }: Surroundings, plan?: Plan | undefined): string | undefined {
  if (plan !== undefined) return nodePortAddressOfPlan(plan)
  return addresses && ownAddress(addresses)
}

function podTrafficOf(state: NodeState): PodTraffic | undefined {
  for (const name of PROXY_MODES) {
    const found = POD_TRAFFIC_READERS[name](state)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the frontends of all modes, because a node may have leftovers of another mode. */
function frontendsOfState(state: NodeState, surroundings: Surroundings): readonly SurveyedFrontend[] {
  const nodeAddress = nodePortAddress(surroundings)
  const frontends = PROXY_MODES.flatMap((name) => FRONTEND_READERS[name](state))
  return frontends.flatMap(({ address, ...rest }): readonly SurveyedFrontend[] => {
    if (address !== undefined) return [{ ...rest, address }]
    return nodeAddress === undefined ? [] : [{ ...rest, address: nodeAddress, kind: 'nodePort' }]
  })
}
