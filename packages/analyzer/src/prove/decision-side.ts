import type { Endpoint } from '@kube-rules/compiler/internal/model/endpoints/endpoint'
import { formatServicePort } from '@kube-rules/compiler/internal/model/services/format-service-port'
import type { Frontend, Plan, ServicePlan } from '@kube-rules/compiler/internal/plan/plan'
import type { ProxyMode } from '@kube-rules/compiler/internal/targets/modes'
import type { Packet } from '@kube-rules/types'
import type { ComparedPath, ComparedPathEnd } from '../compare/compared-path.js'
import type { ComparisonSide } from '../compare/comparison-side.js'
import { pathsOfEnds } from '../compare/equal-ends.js'
import { withoutProxyPort } from '../compare/proxy-port.js'
import { createStatePartition, type StatePartition } from '../dataplane/netfilter/parts.js'
import { createPlanFilter } from '../plan/create-plan-filter.js'
import { computePlanReadSet, destinationsOfPlan } from '../plan/plan-read-set.js'
import { createEquivalentSources, type EquivalentSources } from '../program/equivalent-sources.js'
import type { ReadSet } from '../program/read-set.js'
import { recordTranslation } from '../program/record-reads.js'
import type { ModeDecision } from '../targets/mode-decision.js'
import { MODE_DECISIONS } from '../targets/mode-decisions.js'

/**
 * Returns the decisions of a mode as one side of a comparison: its paths are the outcomes that kube-proxy's rules have
 * according to the plan.
 */
export function createDecisionSide(mode: ProxyMode, plan: Plan, isLocal: ComparisonSide['isLocal']): ComparisonSide {
  const partOf = createPlanFilter(plan)
  const decisionAt = (packet: Packet, readSet: ReadSet): ModeDecision => {
    const part = partOf(packet)
    recordReads(part, packet, readSet)
    const decision = MODE_DECISIONS[mode](part, packet)
    recordAffinity(decision, part, readSet)
    return decision
  }
  return {
    trace: (packet, readSet) => pathsOf(decisionAt(packet, readSet)),
    traceSharedPaths: (packet, equivalents, readSet) =>
      sharedEnds(packet, equivalents, (each) => decisionAt(each, readSet)),
    isLocal,
    destinations: destinationsOfPlan(plan),
    parts: partsOf(plan),
  }
}

function pathsOf({ ends, limitations }: ModeDecision): readonly ComparedPath[] {
  const isLimited = limitations.length > 0
  return pathsOfEnds(ends).map((path) => ({ ...path, isLimited }))
}

/** Returns the outcomes of packets from several sources, each with the sources of its packets. */
function sharedEnds(
  packet: Packet,
  { sources, ids }: EquivalentSources,
  decisionAt: (packet: Packet) => ModeDecision,
): readonly ComparedPathEnd[] {
  const groups = new Map<string, { readonly decision: ModeDecision; readonly sources: string[] }>()
  for (const source of sources) {
    const decision = decisionAt({ ...packet, source })
    const key = JSON.stringify([decision.ends, decision.limitations.length > 0])
    const existing = groups.get(key)
    if (existing === undefined) groups.set(key, { decision, sources: [source] })
    else existing.sources.push(source)
  }
  return Array.from(groups.values()).flatMap(({ decision: { ends, limitations }, sources: from }) => {
    const equivalents = createEquivalentSources(from, ids)
    const isLimited = limitations.length > 0
    return ends.map(({ assumptions = [], ...end }) => ({
      ...end,
      assumptions,
      isLimited,
      equivalents,
      steps: () => [],
    }))
  })
}

function recordReads(plan: Plan, { destination, protocol, destinationPort }: Packet, readSet: ReadSet): void {
  recordTranslation(readSet)
  const { sources, interfaces } = computePlanReadSet(plan, destination, protocol, destinationPort)
  for (const text of sources) readSet.sources.add(text)
  for (const name of interfaces) readSet.interfaces.add(name)
}

function recordAffinity({ servicePort }: ModeDecision, { services }: Plan, readSet: ReadSet): void {
  const service = services.find(({ id }) => id === servicePort)
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
