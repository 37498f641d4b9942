import { formatFraction, fractionToNumber } from '@kube-rules/compiler/internal/internal/fraction'
import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import { type Decision, decide } from '@kube-rules/compiler/internal/plan/decide'
import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { Outcome, Packet } from '@kube-rules/types'
import type { ComparisonSide } from '../compare/comparison-side.js'
import { createStatePartition, type StatePartition } from '../dataplane/netfilter/parts.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { ANY_PROXY_PORT, outcomesOfDecision, type WeightedEnd } from '../plan/outcomes-of-decision.js'
import { computePlanReadSet, destinationsOfPlan } from '../plan/plan-read-set.js'
import { createEquivalentSources, type EquivalentSources } from '../program/equivalent-sources.js'
import type { ReadSet } from '../program/read-set.js'
import { recordTranslation } from '../program/record-reads.js'
import type { SharedPathEnd, TracePath } from '../trace/trace-paths.js'

/** Returns a plan as one side of a comparison: its paths are the decisions of `decide`. */
export function createPlanSide(plan: Plan, isLocal: ComparisonSide['isLocal']): ComparisonSide {
  const partOf = createPlanFilter(plan)
  const outcomesAt = (packet: Packet, readSet: ReadSet): readonly WeightedEnd[] => {
    const part = partOf(packet)
    recordReads(part, packet, readSet)
    const decision = decide(part, packet)
    recordAffinity(decision, part, readSet)
    return outcomesOfDecision(decision, plan, packet)
  }
  return {
    trace: (packet, readSet) => outcomesAt(packet, readSet).map(pathOf),
    traceSharedPaths: (packet, equivalents, readSet) =>
      sharedEnds(packet, equivalents, (each) => outcomesAt(each, readSet)),
    isLocal,
    destinations: destinationsOfPlan(plan),
    parts: partsOf(plan),
  }
}

function pathOf({ outcome, weight }: WeightedEnd): TracePath {
  return {
    ...{ outcome, weight: formatFraction(weight), probability: fractionToNumber(weight) },
    ...{ assumptions: [], steps: [] },
  }
}

/** Returns the outcomes of packets from several sources, each with the sources of its packets. */
function sharedEnds(
  packet: Packet,
  { sources, ids }: EquivalentSources,
  endsAt: (packet: Packet) => readonly WeightedEnd[],
): readonly SharedPathEnd[] {
  const groups = new Map<string, { readonly ends: readonly WeightedEnd[]; readonly sources: string[] }>()
  for (const source of sources) {
    const ends = endsAt({ ...packet, source })
    const key = JSON.stringify(ends)
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, { ends, sources: [source] })
    else existing.sources.push(source)
  }
  return Array.from(groups.values()).flatMap(({ ends, sources: from }) => {
    const equivalents = createEquivalentSources(from, ids)
    return ends.map((end) => ({ ...end, assumptions: [], equivalents, steps: () => [] }))
  })
}

function recordReads(plan: Plan, { destination, protocol, destinationPort }: Packet, readSet: ReadSet): void {
  recordTranslation(readSet)
  const { sources, interfaces } = computePlanReadSet(plan, destination, protocol, destinationPort)
  for (const text of sources) readSet.sources.add(text)
  for (const name of interfaces) readSet.interfaces.add(name)
}

function recordAffinity(decision: Decision, { services }: Plan, readSet: ReadSet): void {
  if (decision.kind !== 'endpoints') return
  const service = services.find(({ id }) => id === decision.servicePort)
  if (service?.affinitySeconds === undefined) return
  readSet.clients.set(formatServicePort(service.id), service.affinitySeconds)
}

/** Removes the local port of the userspace proxy from outcomes, because a plan does not contain this port. */
export function withoutProxyPorts(side: ComparisonSide): ComparisonSide {
  return {
    ...side,
    trace: (packet, readSet) => side.trace(packet, readSet).map(withoutProxyPort),
    traceSharedPaths: (packet, equivalents, readSet) =>
      side.traceSharedPaths(packet, equivalents, readSet).map(withoutProxyPort),
  }
}

function withoutProxyPort<End extends { readonly outcome: Outcome }>(end: End): End {
  return end.outcome.kind === 'proxy' ? { ...end, outcome: ANY_PROXY_PORT } : end
}

/**
 * Splits a plan by service port. The content of each service port includes every fact that decisions and limitations
 * depend on. Undefined for plans of userspace mode, because its service ports compete for local ports.
 */
function partsOf({ services, connectionsTaken, ...facts }: Plan): StatePartition | undefined {
  if (connectionsTaken) return undefined
  const { endpointCount: _, ...shared } = facts
  return createStatePartition([shared], services.map(contentOf))
}

function contentOf(service: ServicePlan) {
  const { id, frontends, pools, reachable, localEndpoints, affinitySeconds, healthCheckNodePort } = service
  const addresses = frontends.flatMap(({ address }) => address ?? [])
  return {
    owners: [formatServicePort(id)],
    value: () => ({
      protocol: id.protocol,
      frontends: frontends.map(contentOfFrontend),
      ...{ cluster: pools.cluster.map(placeOf), local: pools.local.map(placeOf) },
      ...{ reachable: reachable.map(placeOf), localEndpoints: localEndpoints.map(placeOf) },
      ...{ affinitySeconds, healthCheckNodePort },
    }),
    source: service,
    // Endpoint addresses are included, because packets that an endpoint sends get a different decision.
    destinations: [...addresses, ...[...reachable, ...localEndpoints].map(({ ip }) => ip)],
    names: [],
  }
}

function placeOf({ ip, port, local }: Endpoint) {
  return { ip, port, local }
}

function contentOfFrontend({ kind, address, port, preservesClientIP, clauses, allowedSources }: Frontend) {
  const actions = clauses.map(({ source, masquerade, action }) => ({ source, masquerade, action }))
  const ranges = allowedSources?.ranges.map(({ text }) => text)
  const { includesThisNode } = allowedSources ?? {}
  return { kind, address, port, preservesClientIP, clauses: actions, ranges, includesThisNode }
}
