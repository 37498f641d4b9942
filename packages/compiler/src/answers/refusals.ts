import type { Endpoint } from '../endpoints/endpoint.js'
import { listText } from '../explain/list-text.js'
import { FRONTENDS } from '../explain/no-service.js'
import { endpointsOf } from '../explain/reasons.js'
import { conditionTexts, endpointText, nodesText } from '../explain/unusable-endpoints.js'
import type { Decision } from '../plan/decide.js'
import type { ServicePortId } from '../services/service-port.js'
import type { Answer } from './answer.js'
import {
  decidingStep,
  onNode,
  type PacketFacts,
  packetsText,
  ruleOf,
  serviceText,
  type Wanted,
} from './packet-facts.js'
import { ANYWHERE, clusterPolicyText, isName, policyFieldOf, serviceCommand } from './remedies.js'

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
  const conditions = conditionTexts(endpointsOf(decision, plan), endpointText)
  const object = serviceText(servicePort)
  const place = `${FRONTENDS[frontend.kind]} ${frontend.address ?? `${frontend.port}/${servicePort.protocol}`}`
  const claim = `${place} is of ${object}${frontend.kind === 'nodePort' ? ' on every node, whoever listens there' : ''}`
  const lack = conditions.length === 0 ? 'no endpoints' : 'no endpoint that is ready'
  const remedy = conditions.length === 0 ? findPodsText(servicePort) : readyText(servicePort)
  return {
    code: 'refusedNoEndpoints',
    happens: onNode(plan, `${packetsText(facts.packet)} are refused: ${servicePort.text} has ${lack}`),
    why: [`${claim}, and kube-proxy refuses what no endpoint can take`, ...conditions].join('; '),
    todo: frontend.kind === 'nodePort' ? `${remedy}; ${portOfProcessText(frontend.port)}` : remedy,
    object,
    ...ruleOf(rule),
  }
}

function findPodsText(service: ServicePortId): string {
  return serviceCommand(
    service,
    (namespace, name) =>
      `kubectl -n ${namespace} describe svc ${name} (${ANYWHERE}) shows its selector: a pod with these labels has to be there and ready; only if nobody needs the Service: kubectl -n ${namespace} delete svc ${name}`,
    'run a pod that fits its selector',
  )
}

function readyText(service: ServicePortId): string {
  return serviceCommand(
    service,
    (namespace) =>
      `kubectl -n ${namespace} get pods -o wide (${ANYWHERE}) shows the pods with these addresses: see why they are not ready`,
    'see why its pods are not ready',
  )
}

function portOfProcessText(port: number): string {
  return `only if a process of the node listens on ${port}: give it a port outside of those of node ports (30000-32767, if nobody changed that)`
}

function noLocalEndpointsAnswer(
  facts: PacketFacts,
  { servicePort, frontend }: Refusal,
  wanted: Wanted,
): Answer | undefined {
  const rule = decidingStep(facts)
  const { decision, plan } = wanted
  if (rule === undefined || decision.outcome !== 'drop') return undefined
  const policy = policyFieldOf(frontend.kind)
  const endpoints = endpointsOf(decision, plan)
  const here = conditionTexts(
    endpoints.filter(({ local }) => local),
    ({ text }) => text,
  )
  const lack = here.length === 0 ? '' : ' that is ready'
  const object = serviceText(servicePort)
  return {
    code: 'droppedNoLocalEndpoints',
    happens: onNode(
      plan,
      `${packetsText(facts.packet)} are dropped: no endpoint of ${servicePort.text}${lack} is on this node`,
    ),
    why: [
      `${policy} of ${object} is Local, so a node uses only endpoints of its own`,
      ...here,
      ...elsewhereTexts(endpoints),
    ].join('; '),
    todo: frontend.kind === 'clusterIP' ? podHereText(servicePort, wanted) : otherNodes(decision, wanted),
    object,
    ...ruleOf(rule, markText(facts)),
  }
}

/** Why packets are dropped and not refused, too. */
function elsewhereTexts(endpoints: readonly Endpoint[]): readonly string[] {
  const nodes = nodesText(endpoints)
  return nodes === '' ? [] : [`nodes that have some: ${nodes} (with none anywhere packets would be refused at once)`]
}

function podHereText(service: ServicePortId, { plan }: Wanted): string {
  const policy = clusterPolicyText('internalTrafficPolicy', service)
  const { name: node } = plan.node
  const words = 'a pod of the Service has to run on this node and be ready'
  const look = isName(node)
    ? serviceCommand(
        service,
        (namespace) =>
          `kubectl -n ${namespace} get pods -o wide --field-selector spec.nodeName=${node} (${ANYWHERE}): ${words}`,
        words,
      )
    : words
  return `${look}; only if pods of other nodes will do: ${policy}`
}

/** Where packets from outside should go, and what this node says to who asks for its health. */
function otherNodes(decision: Refusal, { plan, healthChecks }: Wanted): string {
  const { servicePort, frontend } = decision
  const { namespace, name } = servicePort
  const nodes = nodesWithEndpoint(endpointsOf(decision, plan))
  const target = nodes.length === 0 ? 'nodes that have one' : listText(nodes)
  const sender =
    frontend.kind === 'loadBalancer'
      ? `let the load balancer, or what announces ${frontend.address}, send to ${target} only`
      : `send to ${target} instead`
  const health = healthChecks.find((each) => each.namespace === namespace && each.name === name)
  const asked =
    health === undefined
      ? ''
      : `, as the health check on port ${health.port} of every node says, which answers ${health.localEndpoints > 0 ? '200 (there is one)' : '503 (none)'} on this one`
  return `nothing on this node, it does what the Service asks: ${sender}${asked}; only if every node has to take them: ${clusterPolicyText('externalTrafficPolicy', servicePort)}`
}

function nodesWithEndpoint(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.flatMap(({ ready, nodeName }) => (ready && nodeName !== '' ? nodeName : [])))]
}

/** What people find of a packet that an old version has marked. */
function markText({ ways }: PacketFacts): string {
  const isMarked = ways.some(({ steps }) => steps.some(({ jumpsTo }) => jumpsTo === 'KUBE-MARK-DROP'))
  return isMarked ? `for what KUBE-MARK-DROP has marked, ${OF_KUBE_MARK_DROP}` : ''
}

const OF_KUBE_MARK_DROP = 'a chain of kube-proxy before 1.25 and of the kubelet before 1.28'
