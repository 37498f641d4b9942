import type { Endpoint } from '../../model/endpoints/endpoint.js'

/**
 * Returns the reachable endpoints that are in a pool. The pool must be a subset of the reachable endpoints and have the
 * same order.
 */
export function selectPoolEndpoints<Reachable extends { readonly endpoint: Endpoint }>(
  pool: readonly Endpoint[],
  reachable: readonly Reachable[],
): readonly Reachable[] {
  if (pool.length === 0) return []
  if (pool.length === reachable.length) return reachable
  const members = new Set(pool)
  return reachable.filter(({ endpoint }) => members.has(endpoint))
}
