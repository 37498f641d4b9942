import type { Endpoint } from '../endpoints/endpoint.js'
import { listText } from '../explain/list-text.js'
import { FRONTENDS } from '../explain/no-service.js'
import { endpointsOf } from '../explain/reasons.js'
import { noEndpointText, noLocalEndpointText } from '../explain/unusable-endpoints.js'
import type { Decision } from '../plan/decide.js'
import type { FrontendKind } from '../plan/plan.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Answer } from './answer.js'
import { decidingStep, type PacketFacts, packetsText, ruleText, serviceText, type Wanted } from './packet-facts.js'
import { clusterPolicyText } from './remedies.js'

type Refusal = Extract<Decision, { readonly outcome: 'reject' | 'drop' }>

/** Why a Service refuses or drops a packet, where the rules do what its objects ask for. */
export function refusalAnswer(facts: PacketFacts): Answer | undefined {
  const { wanted, why } = facts
  if (wanted === undefined || why?.difference !== undefined) return undefined
  const { decision } = wanted
  if (decision.outcome !== 'reject' && decision.outcome !== 'drop') return undefined
  switch (decision.reason) {
    case 'noEndpoints':
      return noEndpointsAnswer(facts, decision, wanted)
    case 'noLocalEndpoints':
      return noLocalEndpointsAnswer(facts, decision, wanted)
    default:
      return undefined
  }
}

function noEndpointsAnswer(
  facts: PacketFacts,
  { servicePort, frontend }: Refusal,
  { plan, decision }: Wanted,
): Answer | undefined {
  const rule = decidingStep(facts)
  if (rule === undefined || decision.outcome !== 'reject') return undefined
  const endpoints = endpointsOf(decision, plan)
  const object = serviceText(servicePort)
  const claim = `owns ${FRONTENDS[frontend.kind]} ${frontend.address ?? `${frontend.port}/${servicePort.protocol}`}`
  const remedy =
    endpoints.length === 0
      ? `give ${object} endpoints, by a selector that fits pods which are ready, or take it away`
      : `see why the endpoints of ${object} are not ready`
  return {
    code: 'refusedNoEndpoints',
    happens: `${packetsText(facts.packet)} are refused`,
    why: `${servicePort.text} ${claim} and has ${noEndpointText(endpoints)} (${ruleText(rule)})`,
    todo: frontend.kind === 'nodePort' ? `${remedy}; ${OF_NODE_PORTS}` : remedy,
    object,
    rule: rule.text,
  }
}

const OF_NODE_PORTS = 'a process of the node needs a port outside of those of node ports'

const POLICIES: Readonly<Record<FrontendKind, string>> = {
  clusterIP: 'internalTrafficPolicy',
  externalIP: 'externalTrafficPolicy',
  loadBalancer: 'externalTrafficPolicy',
  nodePort: 'externalTrafficPolicy',
}

function noLocalEndpointsAnswer(
  facts: PacketFacts,
  { servicePort, frontend }: Refusal,
  wanted: Wanted,
): Answer | undefined {
  const rule = decidingStep(facts)
  const { decision, plan } = wanted
  if (rule === undefined || decision.outcome !== 'drop') return undefined
  const policy = POLICIES[frontend.kind]
  const local = noLocalEndpointText(endpointsOf(decision, plan))
  return {
    code: 'droppedNoLocalEndpoints',
    happens: `${packetsText(facts.packet)} are dropped`,
    why: `${policy} of ${servicePort.text} is Local, and ${local}${markText(facts)} (${ruleText(rule)})`,
    todo: frontend.kind === 'clusterIP' ? otherPolicy(policy, servicePort) : otherNodes(decision, wanted),
    object: serviceText(servicePort),
    rule: rule.text,
  }
}

function otherPolicy(field: string, servicePort: ServicePortId): string {
  return `run an endpoint on this node or ${clusterPolicyText(field, servicePort)}; dropped and not refused, because other nodes have endpoints: with none anywhere it would be refused at once`
}

/** Where packets from outside should go, and what this node says to who asks for its health. */
function otherNodes(decision: Refusal, { plan, healthChecks }: Wanted): string {
  const {
    servicePort: { namespace, name },
  } = decision
  const nodes = nodesWithEndpoint(endpointsOf(decision, plan))
  const sender = decision.frontend.kind === 'loadBalancer' ? 'let the load balancer send' : 'send'
  const target = nodes.length === 0 ? 'nodes that have one' : listText(nodes)
  const health = healthChecks.find((each) => each.namespace === namespace && each.name === name)
  const remedy = `nothing here, the rule is right: ${sender} to ${target} only`
  if (health === undefined) return remedy
  return `${remedy}; it can ask health check port ${health.port}, which answers ${health.localEndpoints > 0 ? '200 (there is one)' : '503 (none)'} on this node`
}

function nodesWithEndpoint(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.flatMap(({ ready, nodeName }) => (ready && nodeName !== '' ? nodeName : [])))]
}

/** What people find of a packet that an old version has marked. */
function markText({ ways }: PacketFacts): string {
  const isMarked = ways.some(({ steps }) => steps.some(({ jumpsTo }) => jumpsTo === 'KUBE-MARK-DROP'))
  return isMarked ? `; they are marked by KUBE-MARK-DROP, ${OF_KUBE_MARK_DROP}` : ''
}

const OF_KUBE_MARK_DROP = 'a chain of kube-proxy before 1.25 and of the kubelet before 1.28'
