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

/** An address and port at which packets are looked at. */
export interface SurveyedFrontend {
  /** Whose it is: `default/web:http/TCP`; empty where that is not known. */
  readonly owner: string
  readonly protocol: Protocol
  readonly address: string
  readonly port: number
  /** What it is; absent where that is not known. */
  readonly kind?: FrontendKind | undefined
}

/** What becomes of packets to one frontend, by where they come from; absent for origins that were not tried. */
export interface SurveyRow {
  readonly frontend: SurveyedFrontend
  readonly outcomes: Readonly<Partial<Record<Origin, string>>>
  /** Why, in a few words; absent where there is no plan. */
  readonly why?: Readonly<Partial<Record<Origin, ShortWhy>>> | undefined
}

export const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/** One row for each frontend: the ways of a packet of each source, in a few words, and with a plan why. */
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

/** What is looked at. */
export interface Surveyed {
  readonly trace: Tracer
  /** Traces through the rules that kube-proxy would write; absent where those are not known. */
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

/** `3 endpoints, masqueraded`, or what becomes of the packet; `depends` where it is more than one thing. */
function summaryOf(all: readonly Way[]): string {
  const ways = asFarAsGiven(all)
  return ways.length < all.length ? `${summaryOfGiven(ways)}, as far as given` : summaryOfGiven(ways)
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
