import { joinHostPort, type Outcome, type Packet } from '@kube-rules/types'
import { type Decision, decide } from '../plan/decide.js'
import type { Plan } from '../plan/plan.js'
import type { Way } from '../trace/trace.js'
import type { OtherNodes } from './no-service.js'
import { reasonOf, subjectOf } from './reasons.js'

/** Where rules take a packet, and why. */
export interface Explanation {
  readonly packet: Packet
  readonly ways: readonly Way[]
  /** Absent where there is no plan. */
  readonly why?: Why | undefined
}

export interface Why {
  /** `default/web:http, node port`; empty for a packet that is for no Service. */
  readonly subject: string
  /** The plan's reason, one sentence. */
  readonly reason: string
  /** What the plan says becomes of the packet, where the rules do otherwise; absent where they agree. */
  readonly otherwise?: string | undefined
}

export function explainWays(
  packet: Packet,
  ways: readonly Way[],
  plan: Plan | undefined,
  nodes: OtherNodes = new Map(),
): Explanation {
  if (plan === undefined) return { packet, ways }
  const decision = decide(plan, packet)
  const why = { subject: subjectOf(decision), reason: reasonOf(decision, packet, plan, nodes) }
  const otherwise = askedInstead(decision, ways)
  return { packet, ways, why: otherwise === undefined ? why : { ...why, otherwise: otherwise.join(', ') } }
}

/** What a decision says becomes of a packet, where ways do otherwise: endpoints, or one word. */
export function askedInstead(decision: Decision, ways: readonly Way[]): readonly string[] | undefined {
  const asked = outcomesOfDecision(decision)
  return asked.join('\n') === outcomesOfWays(ways).join('\n') ? undefined : asked
}

/** `10.244.1.1:8080, masqueraded` or one word: what becomes of a packet. */
export function outcomeText(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'delivered':
      return endpointText(joinHostPort(outcome.address, outcome.port), outcome.masqueraded)
    case 'unknown':
      return `cannot be told: ${outcome.reason}`
    case 'passes':
      return 'passes'
    case 'rejected':
    case 'dropped':
      return outcome.kind
  }
}

/** Each once, sorted. */
function outcomesOfWays(ways: readonly Way[]): readonly string[] {
  return [...new Set(ways.map(({ outcome }) => outcomeText(outcome)))].sort()
}

function outcomesOfDecision(decision: Decision): readonly string[] {
  switch (decision.outcome) {
    case 'endpoints':
      return decision.candidates.map(({ endpoint, masquerade }) => endpointText(endpoint.text, masquerade)).sort()
    case 'reject':
      return ['rejected']
    case 'drop':
      return ['dropped']
    case 'passes':
    case 'healthCheck':
      return ['passes']
  }
}

function endpointText(endpoint: string, masqueraded: boolean): string {
  return masqueraded ? `${endpoint}, masqueraded` : endpoint
}
