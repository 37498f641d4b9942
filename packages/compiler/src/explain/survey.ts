import { joinHostPort, type Origin, type Packet, type Protocol } from '@kube-rules/types'
import { decide } from '../plan/decide.js'
import type { FrontendKind, Plan } from '../plan/plan.js'
import type { Way } from '../trace/trace.js'
import { askedInstead, outcomeText } from './explain.js'
import { listText } from './list-text.js'
import { planAt } from './plan-at.js'
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
  readonly outcomes: ByOrigin
  /** Why, in a few words; absent where there is no plan. */
  readonly reasons?: ByOrigin | undefined
  /** What the plan says becomes of packets, where the rules do otherwise; absent where they nowhere do. */
  readonly otherwise?: ByOrigin | undefined
}

/** For each origin that was tried, or that there is something to say of. */
export type ByOrigin = Readonly<Partial<Record<Origin, string>>>

export const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/** One row for each frontend: the ways of a packet of each source, in a few words, and with a plan why. */
export function surveyFrontends(
  frontends: readonly SurveyedFrontend[],
  sources: readonly PacketSource[],
  trace: (packet: Packet) => readonly Way[],
  plan?: Plan | undefined,
): readonly SurveyRow[] {
  const cut = plan && planAt(plan)
  return frontends.map((frontend) => {
    const { protocol, address, port } = frontend
    const plan = cut?.(frontend)
    const tried = sources.map((source): Tried => {
      const packet = { ...source, protocol, destination: address, destinationPort: port }
      return triedOf(packet, trace(packet), plan)
    })
    const outcomes = byOrigin(tried, ({ outcome }) => outcome)
    if (plan === undefined) return { frontend, outcomes }
    const row = { frontend, outcomes, reasons: byOrigin(tried, ({ reason }) => reason) }
    const otherwise = byOrigin(tried, (each) => each.otherwise)
    return Object.keys(otherwise).length === 0 ? row : { ...row, otherwise }
  })
}

/** What became of the packet of one origin. */
interface Tried {
  readonly origin: Origin
  readonly outcome: string
  readonly reason?: string | undefined
  readonly otherwise?: string | undefined
}

function triedOf(packet: Packet, ways: readonly Way[], plan: Plan | undefined): Tried {
  const { origin } = packet
  const outcome = summaryOf(ways)
  if (plan === undefined) return { origin, outcome }
  const decision = decide(plan, packet)
  const asked = askedInstead(decision, ways)
  return { origin, outcome, reason: shortReasonOf(decision, plan), otherwise: asked && listText(asked) }
}

function byOrigin(tried: readonly Tried[], textOf: (each: Tried) => string | undefined): ByOrigin {
  const texts = tried.map((each) => [each.origin, textOf(each)] as const)
  return Object.fromEntries(texts.filter(([, text]) => text !== undefined))
}

/** `3 endpoints, masqueraded`, or what becomes of the packet; `depends` where it is more than one thing. */
function summaryOf(ways: readonly Way[]): string {
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
