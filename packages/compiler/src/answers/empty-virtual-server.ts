import type { AtFrontend } from '../plan/decide.js'
import type { Plan } from '../plan/plan.js'
import type { Answer } from './answer.js'
import { decidingStep, onNode, type PacketFacts, packetsText, ruleOf, serviceText } from './packet-facts.js'
import { clusterIpText, clusterPolicyText, policyFieldOf, restartText } from './remedies.js'

/** A packet for a virtual server that has no real server, while the objects have endpoints for it. */
export function emptyVirtualServerAnswer(facts: PacketFacts): Answer | undefined {
  const { packet, ways, wanted } = facts
  const step = decidingStep(facts)
  if (step?.by !== 'ipvs' || ways[0]?.outcome.kind !== 'rejected' || wanted?.decision.outcome !== 'endpoints')
    return undefined
  const { decision, plan } = wanted
  const { servicePort, frontend } = decision
  const isLocal = frontend.policyLocal
  const carries = `mode ipvs keeps packets to ${packet.destination} on the node (its interface kube-ipvs0 has that address)`
  return {
    code: 'emptyVirtualServer',
    happens: onNode(
      plan,
      isLocal
        ? `${packetsText(packet)} are refused: no endpoint of ${servicePort.text} is on this node`
        : `${packetsText(packet)} are refused: the node does not know the endpoints of ${servicePort.text}`,
    ),
    why: isLocal
      ? `${policyFieldOf(frontend.kind)} of ${serviceText(servicePort)} is Local, so a node uses only endpoints of its own, and ${carries}; that is how mode ipvs works, and no fault`
      : `${serviceText(servicePort)} has endpoints, which kube-proxy has not written, and ${carries}`,
    todo: isLocal ? otherWayText(decision, plan) : `${restartText(plan)}; only if that does not help: ${LOOK}`,
    object: serviceText(servicePort),
    ...ruleOf(step, 'the Service without endpoints (virtual server without real servers)'),
  }
}

const LOOK = 'kube-rules verify with the same -f and --dump says what the node lacks'

/** Inside the cluster the cluster IP does what is wanted, where it is not asked for endpoints of the node, too. */
function otherWayText(at: AtFrontend, plan: Plan): string {
  const { servicePort, frontend } = at
  const policy = clusterPolicyText(policyFieldOf(frontend.kind), servicePort)
  const clusterIp = clusterIpText(at, plan)
  if (clusterIp === undefined) return policy
  return `use ${clusterIp} from nodes and pods, there is nothing to change; only if ${frontend.address ?? 'the node port'} has to work from there: ${policy}`
}
