import { isDeepStrictEqual } from 'node:util'
import { formatCount } from '@kube-rules/application/messages'
import type { CompileResult, ResultPatch } from '@kube-rules/compiler'
import type { Endpoint, Plan, ServicePlan } from '@kube-rules/compiler/plan'
import type { Diagnostic } from '@kube-rules/types'
import type { LoadedCluster } from '../../files/load-cluster.js'

/** One of the two compared clusters. */
export interface ComparedCluster {
  /** The name for messages. */
  readonly name: string
  readonly cluster: LoadedCluster
  readonly result: CompileResult
  /** The diagnostics to print. */
  readonly diagnostics: readonly Diagnostic[]
  /** All diagnostics, to find those that only one of the clusters has. */
  readonly allDiagnostics: readonly Diagnostic[]
}

/**
 * Prints a summary of a non-empty patch. Changes that affect every service port come first. Next, each change of a
 * service port has one line, ordered by name, protocol and family. The number of conntrack commands comes last.
 *
 * Endpoints are counted if at least one packet can reach them: `+2 -1 endpoints default/web:http`. `changed` covers all
 * other properties of a service port in the plan. The family is printed if a service port exists in both families.
 */
export function printDiffStat(before: ComparedCluster, after: ComparedCluster, patch: ResultPatch): string {
  const lines = [
    ...commonLines(before, after),
    ...pairServices(before, after).flatMap(serviceLines),
    ...conntrackLines(patch),
  ]
  return `${(lines.length > 0 ? lines : ['changed other rules']).join('\n')}\n`
}

function commonLines(before: ComparedCluster, after: ComparedCluster): readonly string[] {
  const sameNode = isDeepStrictEqual(before.result.families.map(nodeOf), after.result.families.map(nodeOf))
  return [
    ...(isDeepStrictEqual(before.cluster.configuration, after.cluster.configuration) ? [] : ['changed configuration']),
    ...(sameNode ? [] : ['changed node']),
  ]
}

function nodeOf({ plan: { node, nodePorts, localhostNodePorts } }: { readonly plan: Plan }): object {
  return { node, nodePorts, localhostNodePorts }
}

function conntrackLines({ families }: ResultPatch): readonly string[] {
  const deletions = families.reduce((sum, { staleConnections }) => sum + staleConnections.length, 0)
  return deletions === 0 ? [] : [formatCount(deletions, 'conntrack deletion')]
}

/**
 * The plans of one service port in one family, before and after. A plan is undefined if the cluster does not have the
 * service port.
 */
interface ServicePair {
  readonly name: string
  readonly before?: ServicePlan | undefined
  readonly after?: ServicePlan | undefined
}

function pairServices(before: ComparedCluster, after: ComparedCluster): readonly ServicePair[] {
  const old = servicesByKey(before)
  const fresh = servicesByKey(after)
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].sort()
  const hasKey = (key: string) => old.has(key) || fresh.has(key)
  return keys.map((key) => ({ name: nameOf(key, hasKey), before: old.get(key), after: fresh.get(key) }))
}

function servicesByKey({ result }: ComparedCluster): ReadonlyMap<string, ServicePlan> {
  return new Map(
    result.families.flatMap(({ family, plan }) =>
      plan.services.map((service) => [`${service.id.text} ${service.id.protocol} ${family}`, service] as const),
    ),
  )
}

function nameOf(key: string, hasKey: (key: string) => boolean): string {
  const [text = '', protocol, family] = key.split(' ')
  const other = family === 'IPv4' ? 'IPv6' : 'IPv4'
  return hasKey(`${text} ${protocol} ${other}`) ? `${text} (${family})` : text
}

function serviceLines({ name, before, after }: ServicePair): readonly string[] {
  if (before === undefined) return [`added ${name}`]
  if (after === undefined) return [`removed ${name}`]
  const added = countMissing(after.reachable, before.reachable)
  const removed = countMissing(before.reachable, after.reachable)
  const sameEndpoints = added + removed === 0
  const isChanged = !isDeepStrictEqual(factsOf(before, sameEndpoints), factsOf(after, sameEndpoints))
  return [
    ...(sameEndpoints ? [] : [`+${added} -${removed} endpoints ${name}`]),
    ...(isChanged ? [`changed ${name}`] : []),
  ]
}

/** Counts the endpoints of the first list that are missing in the second list. */
function countMissing(endpoints: readonly Endpoint[], others: readonly Endpoint[]): number {
  const known = new Set(others.map(textOf))
  return endpoints.filter((endpoint) => !known.has(textOf(endpoint))).length
}

/**
 * Returns the properties of a service port other than its endpoints. If the endpoints differ (`sameEndpoints` is
 * false), the clauses of its frontends and its endpoint pools are also omitted, because they follow from the endpoints.
 */
function factsOf(service: ServicePlan, sameEndpoints: boolean): object {
  const { affinitySeconds, healthCheckNodePort, frontends, pools, localEndpoints } = service
  const own = {
    affinitySeconds,
    healthCheckNodePort,
    frontends: frontends.map(({ clauses, ...frontend }) => frontend),
  }
  if (!sameEndpoints) return own
  const clauseLists = frontends.map(({ clauses }) => clauses)
  return { ...own, clauseLists, lists: [pools.cluster, pools.local, localEndpoints].map((list) => list.map(textOf)) }
}

function textOf({ text }: Endpoint): string {
  return text
}
