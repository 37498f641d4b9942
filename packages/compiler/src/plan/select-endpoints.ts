import type { Endpoint } from '../model/endpoints/endpoint.js'

/** The empty list of endpoints, shared by many plans. */
export const NO_ENDPOINTS: readonly Endpoint[] = []

/** Returns the endpoints that `isSelected` accepts, in order. If it accepts all endpoints, returns the same list. */
export function selectEndpoints(
  endpoints: readonly Endpoint[],
  isSelected: (endpoint: Endpoint) => boolean,
): readonly Endpoint[] {
  if (endpoints.length === 0) return NO_ENDPOINTS
  if (endpoints.every(isSelected)) return endpoints
  const selected = endpoints.filter(isSelected)
  return selected.length === 0 ? NO_ENDPOINTS : selected
}
