import { checkChoice } from '@kube-rules/compiler/internal/arguments/check-argument'
import type { Decision, DecisionReason } from '@kube-rules/compiler/internal/plan/decide'
import { decide } from '@kube-rules/compiler/internal/plan/decide'
import type { FrontendKind, Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Origin, Packet, Protocol } from '@kube-rules/types'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { checkReachabilityRow } from '../arguments/check-results.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { preferKnownPaths } from '../program/missing-content.js'
import type { TracePath } from '../trace/trace-paths.js'
import { findDivergence, UNDETERMINED } from './difference.js'
import type { PacketSource } from './example-source.js'
import type { ReasonSummary } from './explain-paths.js'
import { formatList } from './format-list.js'
import { formatPathOutcome } from './format-path-outcome.js'
import { endpointsOfDecision } from './reasons.js'
import { describeMissingEndpoints, describeMissingLocalEndpoints } from './unusable-endpoints.js'

/** A traced address and port. */
export interface TracedFrontend {
  /** The owner: `default/web:http/TCP`; empty if unknown. */
  readonly owner: string
  /** The protocol. */
  readonly protocol: Protocol
  /** The destination address. */
  readonly address: string
  /** The destination port. */
  readonly port: number
  /** The kind of the frontend; absent if unknown. */
  readonly kind?: FrontendKind | undefined
}

/** The outcomes of packets to one frontend, by origin; absent for origins that were not traced. */
export interface ReachabilityRow {
  /** The traced address and port. */
  readonly frontend: TracedFrontend
  /** The outcomes in a few words, such as `3 endpoints`. */
  readonly outcomes: Readonly<Partial<Record<Origin, string>>>
  /** The reasons in a few words; absent without a plan. */
  readonly reason?: Readonly<Partial<Record<Origin, ReasonSummary>>> | undefined
}

/** Reports whether a row of the reachability table contains an unknown outcome. */
export function isUndeterminedRow(row: ReachabilityRow): boolean {
  checkReachabilityRow('row', row)
  return Object.values(row.outcomes).some((outcome) => String(outcome).includes(UNDETERMINED))
}

/**
 * Reports whether packets from an origin always arrive: at an endpoint, or at kube-proxy itself in userspace mode. False if
 * the origin was not traced.
 */
export function isDelivered(row: ReachabilityRow, origin: Origin): boolean {
  checkReachabilityRow('row', row)
  checkChoice('origin', origin, ORIGINS)
  return DELIVERED.test(row.outcomes[origin] ?? '')
}

/** The origins of packets, in the order of columns. */
export const ORIGINS: readonly Origin[] = ['pod', 'node', 'outside']

/**
 * Returns one row per frontend. A row contains the outcome of a packet from each source in a few words and, with a
 * plan, the reason.
 */
export function traceFrontends(
  frontends: readonly TracedFrontend[],
  sources: readonly PacketSource[],
  { trace, compiled, plan }: ReachabilityInput,
): readonly ReachabilityRow[] {
  const partOf = plan && createPlanFilter(plan)
  return frontends.map((frontend) => {
    const { protocol, address, port } = frontend
    const plan = partOf?.({ destination: address, destinationPort: port })
    const tried = sources.map((source) => {
      const packet = { ...source, protocol, destination: address, destinationPort: port }
      const paths = trace(packet)
      const why = plan && reasonOf(packet, paths, plan, compiled && (() => compiled(packet)))
      return { origin: source.origin, outcome: summaryOf(paths), why }
    })
    const outcomes = Object.fromEntries(tried.map(({ origin, outcome }) => [origin, outcome]))
    if (plan === undefined) return { frontend, outcomes }
    return { frontend, outcomes, reason: Object.fromEntries(tried.map(({ origin, why }) => [origin, why])) }
  })
}

/** The input for the rows of the reachability table. */
export interface ReachabilityInput {
  readonly trace: Tracer
  /** Traces a packet through the rules that kube-proxy would write. Absent if these rules are unknown. */
  readonly compiled?: Tracer | undefined
  readonly plan?: Plan | undefined
}

type Tracer = (packet: Packet) => readonly TracePath[]

function reasonOf(
  packet: Packet,
  paths: readonly TracePath[],
  plan: Plan,
  compiled: (() => readonly TracePath[]) | undefined,
): ReasonSummary {
  const decision = decide(plan, packet)
  const reason = summarizeReason(decision, plan)
  const difference = findDivergence(decision, paths, compiled)
  if (difference === undefined) return { reason }
  return { reason, expectedOutcome: formatList(difference.expected), divergence: difference.kind }
}

/** Matches the text of `summaryOf` for packets that always arrive. */
const DELIVERED = /^(?:\d+ endpoints?(?:, (?:some )?masqueraded)?|to the proxy, at port \d+)(?:, from a partial dump)?$/

/**
 * Formats the outcome of a packet, such as `3 endpoints, masqueraded`. If there are several different outcomes, the
 * text begins with `depends`.
 */
function summaryOf(all: readonly TracePath[]): string {
  const paths = preferKnownPaths(all)
  return paths.length < all.length ? `${summaryOfGiven(paths)}, from a partial dump` : summaryOfGiven(paths)
}

function summaryOfGiven(paths: readonly TracePath[]): string {
  const endpoints = paths.filter(({ outcome }) => outcome.kind === 'delivered')
  const others = [...new Set(paths.filter((path) => !endpoints.includes(path)).map(formatPathOutcome))]
  const parts = endpoints.length === 0 ? others : [formatEndpoints(endpoints), ...others]
  return parts.length === 1 ? (parts[0] ?? '') : `depends: ${parts.join(' or ')}`
}

function formatEndpoints(paths: readonly TracePath[]): string {
  const places = new Set(
    paths.map(({ outcome }) => outcome.kind === 'delivered' && joinHostPort(outcome.address, outcome.port)),
  )
  const masqueraded = paths.filter(({ outcome }) => outcome.kind === 'delivered' && outcome.masqueraded)
  const count = places.size === 1 ? '1 endpoint' : `${places.size} endpoints`
  if (masqueraded.length === 0) return count
  return masqueraded.length === paths.length ? `${count}, masqueraded` : `${count}, some masqueraded`
}

const SHORT_REASONS: Readonly<Record<Exclude<DecisionReason, 'policy' | 'noEndpoints' | 'noLocalEndpoints'>, string>> =
  {
    offCluster: 'not from a pod',
    masqueradeAll: 'masqueradeAll',
    podShortCircuit: 'all endpoints, as through the cluster IP',
    nodeShortCircuit: 'all endpoints, as through the cluster IP',
    sourceRange: 'from no source range',
    localhostNodePort: 'not on loopback',
    proxy: 'to one of the endpoints',
  }

/** Returns the reason of a decision, in a few words for a table. */
export function summarizeReason(decision: Decision, plan: Plan): string {
  if (decision.kind === 'unmatched') return 'no Service'
  if (decision.kind === 'healthCheck') return 'health check'
  switch (decision.reason) {
    case 'policy':
      return decision.frontend.usesLocalPolicy ? 'policy Local' : 'policy Cluster'
    case 'noEndpoints':
      return describeMissingEndpoints(endpointsOfDecision(decision, plan))
    case 'noLocalEndpoints':
      return `policy Local, and ${describeMissingLocalEndpoints(endpointsOfDecision(decision, plan))}`
    default:
      return SHORT_REASONS[decision.reason]
  }
}
