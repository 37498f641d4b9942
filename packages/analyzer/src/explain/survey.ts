import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import { joinHostPort, type Origin, type Packet, type Protocol } from '@kube-rules/types'
import { asFarAsGiven } from '../dataplane/netfilter/missing.js'
import { planAt } from '../plan/plan-at.js'
import type { Way } from '../trace/trace-ways.js'
import { differenceOf, outcomeText } from './difference.js'
import type { ShortWhy } from './explain-ways.js'
import { listText } from './list-text.js'
import type { PacketSource } from './sample-source.js'
import { shortReasonOf } from './short-reasons.js'

/** A traced address and port. */
export interface SurveyedFrontend {
  /** The owner: `default/web:http/TCP`; empty if unknown. */
  readonly owner: string
  readonly protocol: Protocol
  readonly address: string
  readonly port: number
  /** The kind of the frontend; absent if unknown. */
  readonly kind?: FrontendKind | undefined
}

/** The outcomes of packets to one frontend, by origin; absent for origins that were not traced. */
export interface SurveyRow {
  readonly frontend: SurveyedFrontend
  readonly outcomes: Readonly<Partial<Record<Origin, string>>>
  /** The reasons in a few words; absent without a plan. */
  readonly why?: Readonly<Partial<Record<Origin, ShortWhy>>> | undefined
}

export const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/**
 * Returns one row per frontend: the outcome of a packet from each source, in a few words, and the reason if there is a
 * plan.
 */
export function surveyFrontends(
  frontends: readonly SurveyedFrontend[],
  sources: readonly PacketSource[],
  { trace, compiled, plan }: Surveyed,
): readonly SurveyRow[] {
  const partOf = plan && planAt(plan)
  return frontends.map((frontend) => {
    const { protocol, address, port } = frontend
    const plan = partOf?.({ destination: address, destinationPort: port })
    const tried = sources.map((source) => {
      const packet = { ...source, protocol, destination: address, destinationPort: port }
      const ways = trace(packet)
      const why = plan && reasonOf(packet, ways, plan, compiled && (() => compiled(packet)))
      return { origin: source.origin, outcome: summaryOf(ways), why }
    })
    const outcomes = Object.fromEntries(tried.map(({ origin, outcome }) => [origin, outcome]))
    if (plan === undefined) return { frontend, outcomes }
    return { frontend, outcomes, why: Object.fromEntries(tried.map(({ origin, why }) => [origin, why])) }
  })
}

/** The inputs of the table. */
export interface Surveyed {
  readonly trace: Tracer
  /** Traces through the rules that kube-proxy would write; absent if they are unknown. */
  readonly compiled?: Tracer | undefined
  readonly plan?: Plan | undefined
}

type Tracer = (packet: Packet) => readonly Way[]

function reasonOf(
  packet: Packet,
  ways: readonly Way[],
  plan: Plan,
  compiled: (() => readonly Way[]) | undefined,
): ShortWhy {
  const decision = decide(plan, packet)
  const reason = shortReasonOf(decision, plan)
  const difference = differenceOf(decision, ways, compiled)
  if (difference === undefined) return { reason }
  return { reason, otherwise: listText(difference.asked), difference: difference.kind }
}

/** Formats the outcome of a packet, such as `3 endpoints, masqueraded`; with `depends` if there are several. */
function summaryOf(all: readonly Way[]): string {
  const ways = asFarAsGiven(all)
  return ways.length < all.length ? `${summaryOfGiven(ways)}, from a partial dump` : summaryOfGiven(ways)
}

function summaryOfGiven(ways: readonly Way[]): string {
  const endpoints = ways.filter(({ outcome }) => outcome.kind === 'delivered')
  const others = [...new Set(ways.filter((way) => !endpoints.includes(way)).map(({ outcome }) => outcomeText(outcome)))]
  const parts = endpoints.length === 0 ? others : [endpointsText(endpoints), ...others]
  return parts.length === 1 ? (parts[0] ?? '') : `depends: ${parts.join(' or ')}`
}

function endpointsText(ways: readonly Way[]): string {
  const places = new Set(
    ways.map(({ outcome }) => outcome.kind === 'delivered' && joinHostPort(outcome.address, outcome.port)),
  )
  const masqueraded = ways.filter(({ outcome }) => outcome.kind === 'delivered' && outcome.masqueraded)
  const count = places.size === 1 ? '1 endpoint' : `${places.size} endpoints`
  if (masqueraded.length === 0) return count
  return masqueraded.length === ways.length ? `${count}, masqueraded` : `${count}, some masqueraded`
}
