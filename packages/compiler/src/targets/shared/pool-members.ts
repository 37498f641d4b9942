import type { Endpoint } from '../../model/endpoints/endpoint.js'

/** Those of the reachable endpoints that are in a pool, which is reachable in part or as a whole and in the same order. */
export function poolMembers<Reachable extends { readonly endpoint: Endpoint }>(
  pool: readonly Endpoint[],
  reachable: readonly Reachable[],
): readonly Reachable[] {
  if (pool.length === reachable.length) return reachable
  const members = new Set(pool)
  return reachable.filter(({ endpoint }) => members.has(endpoint))
}
