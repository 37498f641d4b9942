import { splitHostPort } from '@kube-rules/compiler/internal/model/configuration/configured-addresses'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Packet } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { formatList } from '../explain/format-list.js'
import { changesDestination } from '../explain/format-path-outcome.js'
import { nodePortAddressOfPlan } from '../explain/frontends-of-plan.js'
import { FRONTEND_LABELS } from '../explain/no-service.js'
import type { TracePath } from '../trace/trace-paths.js'
import { formatFate, isCertain } from './certainty.js'
import type { Diagnosis } from './diagnosis.js'
import { formatRuleName, isForeignRule } from './foreign-rule.js'
import { targetOf } from './foreign-rules.js'
import {
  createDiagnosisRule,
  type ExpectedHandling,
  formatPackets,
  formatService,
  type PacketDiagnosisContext,
  prefixWithNode,
} from './packet-diagnosis-context.js'

/**
 * Diagnoses a packet that another program sends to an address or a node port of a Service. The rules of kube-proxy do
 * not apply to it, because the kernel changes the destination of a connection only once. A virtual server of ipvs still
 * sends it to an endpoint, but without masquerading.
 */
export function diagnoseTranslationToService(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { expected } = facts
  if (expected === undefined || expected.decision.kind !== 'unmatched') return undefined
  for (const path of facts.paths) {
    const step = path.steps.find(changesDestination)
    if (step === undefined || !isForeignRule(step, facts)) continue
    const isOfIpvs = path.outcome.kind === 'delivered' && path.steps.some(({ table }) => table === 'ipvs')
    const sent = isOfIpvs ? sendTo(facts.packet, step.target) : destinationOf(path, facts.packet, expected)
    const decision = sent && decide(expected.plan, sent)
    if (sent === undefined || decision === undefined || !('frontend' in decision)) continue
    if (isOfIpvs && !losesReplies(path, decision, facts)) continue
    const object = formatService(decision.servicePort)
    const endpoints = decision.kind === 'endpoints' ? decision.candidates.map(({ endpoint }) => endpoint.text) : []
    const place = joinHostPort(sent.destination, sent.destinationPort)
    const name = `${place}, the ${FRONTEND_LABELS[decision.frontend.kind]} of ${object}`
    const rule = `${formatRuleName(step, facts)}, which is not kube-proxy's,`
    const fate = isOfIpvs
      ? `${formatFate(path, facts)}, but their replies may be lost: another program sends them to ${name}, without masquerading`
      : `${isCertain(path, facts) ? 'do' : 'may'} not reach a pod: another program sends them to ${name}`
    return {
      code: 'translatedToService',
      summary: prefixWithNode(expected.plan, `${formatPackets(facts.packet)} ${fate}`),
      cause: isOfIpvs
        ? `${rule} applies before the rules of ${object}, which masquerade such packets; an endpoint on another node then replies to the client directly`
        : `${rule} changes their destination to ${place}, and only the first change of a destination counts, so no rule of ${object} sends them on to an endpoint`,
      steps: [
        {
          text: isOfIpvs
            ? 'Configure that program to masquerade these packets too'
            : `Configure that program to send them to ${endpoints.length === 0 ? 'an endpoint' : `an endpoint (${formatList(endpoints)})`} instead, or to a process that connects to the Service itself, such as a reverse proxy`,
        },
        {
          text: `Or, if clients can use another address, publish ${object} with a node port or an external IP, without that rule`,
        },
      ],
      object,
      ...createDiagnosisRule(step),
    }
  }
  return undefined
}

/** Reports whether an external client is not masqueraded on the way to an endpoint of another node. */
function losesReplies({ outcome }: TracePath, decision: Decision, { packet }: PacketDiagnosisContext): boolean {
  if (outcome.kind !== 'delivered' || outcome.masqueraded || packet.origin !== 'outside') return false
  const place = joinHostPort(outcome.address, outcome.port)
  return (
    decision.kind !== 'endpoints' ||
    !decision.candidates.some(({ endpoint }) => endpoint.local && endpoint.text === place)
  )
}

/** Returns the packet with the destination of a rule: `DNAT --to-destination 10.96.20.5:80`. */
function sendTo(packet: Packet, target: string): Packet | undefined {
  const sent = splitHostPort(target.split(' ').at(-1) ?? '')
  return sent && { ...packet, destination: sent.host, destinationPort: Number(sent.port) }
}

/**
 * Returns the packet with the destination that a path gives it. A redirection keeps the packet on the node, and
 * nftables mode rejects packets that arrive at a cluster IP untranslated.
 */
function destinationOf({ outcome, steps }: TracePath, packet: Packet, { plan }: ExpectedHandling): Packet | undefined {
  if (outcome.kind === 'rejected') {
    return sendTo(packet, targetOf(steps) ?? '')
  }
  if (outcome.kind === 'delivered') {
    return { ...packet, destination: outcome.address, destinationPort: outcome.port }
  }
  if (outcome.kind !== 'proxy') return undefined
  const destination = nodePortAddressOfPlan(plan) ?? plan.node.ip
  return { ...packet, destination, destinationPort: outcome.port }
}
