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
  /** What should happen: gives the reason, and tells where the rules do otherwise. */
  readonly plan?: Plan | undefined
  /** The Nodes of the cluster: tell whose an address is that is not this node's own. Default: none. */
  readonly nodes?: Iterable<Node> | undefined
  /** What was compiled, of which `state` is what a node holds: tells what kube-proxy itself does otherwise than asked. */
  readonly compiled?: NodeState | undefined
}

/** Where the rules take a packet (see `trace`), and with a plan why. */
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
 * What becomes of packets of a pod, of the node and from outside, at every frontend: those of the plan, else those that
 * the state is looked up by, and with a plan why. Node ports are tried on one address of the node, and left out where none
 * is known, as packets of the node are.
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

/** The frontends that `survey` looks at, in the order of its rows. */
export function surveyedFrontends(
  state: NodeState,
  { plan, ...surroundings }: ExplainOptions = {},
): readonly SurveyedFrontend[] {
  return plan === undefined ? frontendsOfState(state, surroundings) : frontendsOfPlan(plan)
}

/** What is known of where packets come from: by the plan, else by the rules. */
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

/** Endpoints are pods, but for those of the API server, which are machines. */
function isEndpointOfPod({ services }: Plan, address: string): boolean {
  return services.some(
    ({ id, endpoints }) =>
      (id.namespace !== 'default' || id.name !== 'kubernetes') && endpoints.some(({ ip }) => ip === address),
  )
}

/** An address of the node on which node ports are served: by the plan, else any that is known. */
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

/** Whatever mode they are of: a node may hold what another one left behind. */
function frontendsOfState(state: NodeState, surroundings: Surroundings): readonly SurveyedFrontend[] {
  const nodeAddress = nodePortAddress(surroundings)
  const frontends = PROXY_MODES.flatMap((name) => FRONTEND_READERS[name](state))
  return frontends.flatMap(({ address, ...rest }): readonly SurveyedFrontend[] => {
    if (address !== undefined) return [{ ...rest, address }]
    return nodeAddress === undefined ? [] : [{ ...rest, address: nodeAddress, kind: 'nodePort' }]
  })
}
