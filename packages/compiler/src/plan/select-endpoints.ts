import type { Endpoint } from '../model/endpoints/endpoint.js'

/** The one list of no endpoints, so that many plans share it. */
export const NO_ENDPOINTS: readonly Endpoint[] = []

/** The endpoints that `isWanted`, in their order; the very list given where that is all of them. */
export function selectEndpoints(
  endpoints: readonly Endpoint[],
  isWanted: (endpoint: Endpoint) => boolean,
): readonly Endpoint[] {
  if (endpoints.length === 0) return NO_ENDPOINTS
  if (endpoints.every(isWanted)) return endpoints
  const selected = endpoints.filter(isWanted)
  return selected.length === 0 ? NO_ENDPOINTS : selected
}
