import type { IpFamily } from '@kube-rules/types'
import type { CompileResult } from '../compilation/compile-result.js'
import { type NodeResources, type ResultPatch, toResources } from '../diff/diff.js'
import { indexResourcesById, type Resource } from '../patch/resource.js'
import type { StaleConnection } from '../plan/stale-connection.js'
import { mergeStaleConnections } from '../plan/stale-connections.js'

/** The stale connections of failed updates. */
export type StaleByFamily = ReadonlyMap<IpFamily, readonly StaleConnection[]>

export function resourcesOfResult(result: CompileResult | undefined): NodeResources {
  return toResources(result?.families.map(({ state }) => state) ?? [])
}

/**
 * Returns the resources that a patch removes. A patch from a dump also removes resources that earlier runs left on the
 * node.
 */
export function resourcesRemovedBy({ families }: ResultPatch): NodeResources {
  return new Map(
    families.map(({ family, patch }) => {
      const removed = patch.changes.flatMap((change) => (change.kind === 'delete' ? [change.resource] : []))
      return [family, indexResourcesById(removed)]
    }),
  )
}

export function joinResources(all: readonly NodeResources[]): NodeResources {
  const joined = new Map<IpFamily, Map<string, Resource>>()
  for (const [family, own] of all.flatMap((each) => [...each])) {
    const existing = joined.get(family) ?? new Map<string, Resource>()
    joined.set(family, existing)
    for (const [id, resource] of own) if (!existing.has(id)) existing.set(id, resource)
  }
  return joined
}

export function staleOf({ families }: ResultPatch): StaleByFamily {
  return new Map(families.map(({ family, staleConnections }) => [family, staleConnections]))
}

export function joinStale(first: StaleByFamily, second: StaleByFamily): StaleByFamily {
  const families = new Set([...first.keys(), ...second.keys()])
  return new Map(
    Array.from(families, (family) => [
      family,
      mergeStaleConnections([...(first.get(family) ?? []), ...(second.get(family) ?? [])]),
    ]),
  )
}
