import { shortenName } from '@kube-rules/analyzer/compare'
import type { CompileResult } from '@kube-rules/compiler'
import type { Diagnostic, Service } from '@kube-rules/types'
import { findServicesWithEndpoints } from '@kube-rules/types/internal/manifests/assume-endpoints'
import { namespacedNameOf, needsClusterIP } from '@kube-rules/types/internal/manifests/assume-services'
import { readLabelSelector } from '@kube-rules/types/internal/manifests/workloads'
import type { Cluster } from '../cluster/read-cluster.js'
import { findServiceErrors } from '../messages/service-errors.js'

/** A Service that no packet can reach. A comparison therefore contains nothing about this Service. */
export interface UnservedService {
  /** `shop/web` */
  readonly service: string
  readonly reason: string
  /** Whether the input omits a value that decides whether packets can reach the Service. */
  readonly isUnknown: boolean
}

/** A compiled version of a cluster, with all of its diagnostics. */
export interface CompiledCluster {
  readonly cluster: Cluster
  readonly result: CompileResult
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Returns the Services that cannot receive packets in any version that contains the Service, sorted by name. These
 * Services are left out of the rules, have no endpoints, or are invalid.
 */
export function findUnservedServices(versions: readonly CompiledCluster[]): readonly UnservedService[] {
  const unservedLists = versions.map(unservedIn)
  const served = new Set(versions.flatMap(({ result }) => [...servedIn(result)]))
  const all = new Map(unservedLists.flatMap((each) => each.map((unserved) => [unserved.service, unserved] as const)))
  return [...all.values()]
    .filter(({ service }) => !served.has(service))
    .sort((a, b) => (a.service < b.service ? -1 : 1))
}

/** Returns the Services with at least one endpoint, ready or not. */
function servedIn({ families }: CompileResult): ReadonlySet<string> {
  const plans = families.flatMap(({ plan }) => plan.services)
  return new Set(plans.filter(({ endpointCount }) => endpointCount > 0).map(({ id }) => `${id.namespace}/${id.name}`))
}

function unservedIn({ cluster, result, diagnostics }: CompiledCluster): readonly UnservedService[] {
  const served = servedIn(result)
  const planned = new Set(
    result.families.flatMap(({ plan }) => plan.services.map(({ id }) => `${id.namespace}/${id.name}`)),
  )
  const known = findServicesWithEndpoints(cluster.endpointSlices, cluster.endpoints)
  const isLive = known.size > 0
  const errors = findServiceErrors(diagnostics)
  const ofServices = cluster.services.flatMap((service): readonly UnservedService[] => {
    const key = namespacedNameOf(service)
    if (served.has(key) || errors.has(key) || (service.spec?.ports ?? []).length === 0) return []
    if (planned.has(key))
      return [{ service: key, reason: 'no endpoints', isUnknown: !isDefinite(service, known, isLive) }]
    return needsClusterIP(service) ? [{ service: key, reason: 'no cluster IP', isUnknown: true }] : []
  })
  const invalid = Array.from(errors, ([service, [first]]) => ({
    service,
    reason: `invalid: ${first?.code}`,
    isUnknown: true,
  }))
  return [...ofServices, ...invalid]
}

/**
 * Reports whether it is certain that a Service has no endpoints. In a live cluster, every Service with a selector has a
 * slice, so a missing slice means that the input is incomplete.
 */
function isDefinite(service: Service, known: ReadonlySet<string>, isLive: boolean): boolean {
  return known.has(namespacedNameOf(service)) || (isLive && readLabelSelector(service) === undefined)
}

/** The maximum number of Services that the line names. */
const MOST_NAMED = 5

/**
 * Returns the line about Services that cannot receive packets; undefined for an empty list. `formatName` formats the
 * names, which may be invalid and are shortened first.
 */
export function formatUnservedServices(
  unserved: readonly UnservedService[],
  formatName: (name: string) => string = (name) => name,
): string | undefined {
  if (unserved.length === 0) return undefined
  const named = unserved
    .slice(0, MOST_NAMED)
    .map(({ service, reason }) => `${formatName(shortenName(service))} (${reason})`)
  const more = unserved.length - named.length
  return `not compared, because they cannot receive packets: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
