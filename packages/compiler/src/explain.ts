import type { Packet } from '@kube-rules/types'
import type { VirtualServer } from './dataplane/ipvs/ast.js'
import { virtualServerText } from './dataplane/ipvs/server-text.js'
import { type Explanation, explainWays } from './explain/explain.js'
import { frontendsOfPlan, nodePortAddressOfPlan } from './explain/frontends-of-plan.js'
import { ownAddress } from './explain/own-address.js'
import { type SourceFacts, sampleSource } from './explain/sample-source.js'
import { ORIGINS, type SurveyedFrontend, type SurveyRow, surveyFrontends } from './explain/survey.js'
import type { NodeRules } from './node-rules.js'
import type { Plan } from './plan/plan.js'
import { readFrontends } from './targets/iptables/read-frontends.js'
import { readPodTraffic } from './targets/shared/read-pod-traffic.js'
import { prepareTrace, type TraceOptions } from './trace-packet.js'

export interface ExplainOptions extends TraceOptions {
  /** What should happen: gives the reason, and tells where the rules do otherwise. */
  readonly plan?: Plan | undefined
}

/** Where the rules take a packet (see `trace`), and with a plan why. */
export function explain(rules: NodeRules, packet: Packet, { plan, ...options }: ExplainOptions = {}): Explanation {
  return explainWays(packet, prepareTrace(rules, options)(packet), plan)
}

/**
 * What becomes of packets of a pod, of the node and from outside, at every frontend: those of the plan, else those that
 * the rules and virtual servers look for. Node ports are tried on one address of the node, and left out where none is
 * known, as packets of the node are.
 */
export function survey(rules: NodeRules, { plan, ...options }: ExplainOptions = {}): readonly SurveyRow[] {
  const facts = sourceFacts(rules, plan)
  const sources = ORIGINS.flatMap((origin) => sampleSource(origin, facts) ?? [])
  const frontends = plan === undefined ? frontendsOfRules(rules) : frontendsOfPlan(plan)
  return surveyFrontends(frontends, sources, prepareTrace(rules, options))
}

/** What is known of where packets come from: by the plan, else by the rules. */
export function sourceFacts({ family, iptables, addresses }: NodeRules, plan?: Plan | undefined): SourceFacts {
  if (plan === undefined) return { family, addresses, podTraffic: iptables && readPodTraffic(iptables) }
  return { family, addresses: [plan.node.ip, ...(addresses ?? [])], podTraffic: plan.node.podTraffic }
}

/** An address of the node on which node ports are served: by the plan, else any that is known. */
export function nodePortAddress({ addresses }: NodeRules, plan?: Plan | undefined): string | undefined {
  if (plan !== undefined) return nodePortAddressOfPlan(plan)
  return addresses && ownAddress(addresses)
}

function frontendsOfRules(rules: NodeRules): readonly SurveyedFrontend[] {
  const { iptables, ipvs } = rules
  const nodeAddress = nodePortAddress(rules)
  const dispatched = iptables === undefined ? [] : readFrontends(iptables)
  const fromRules = dispatched.flatMap(({ address = nodeAddress, ...rest }) =>
    address === undefined ? [] : [{ ...rest, address }],
  )
  const servers = ipvs?.virtualServers ?? []
  return [...fromRules, ...servers.map((server) => serverFrontend(server, rules.serverOwners))]
}

function serverFrontend(server: VirtualServer, owners: NodeRules['serverOwners']): SurveyedFrontend {
  const { address, port, protocol } = server
  return { owner: owners?.get(virtualServerText(server)) ?? '', protocol, address, port }
}
