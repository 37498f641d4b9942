import { elementAt } from '../internal/known-items.js'
import type { Clause, Frontend } from './plan.js'

/** Reports whether some packet for the frontend reaches an endpoint. */
export function isServed({ clauses }: Frontend): boolean {
  return clauses.some(({ action: then }) => then.kind === 'pool')
}

/**
 * Reports whether an external frontend is served. All frontends but cluster IPs share the clauses of the service port.
 */
export function isServedExternally(frontend: Frontend): boolean {
  return frontend.kind !== 'clusterIP' && isServed(frontend)
}

/**
 * Reports whether packets to the frontend are checked against source ranges. Packets are checked even if there are no
 * usable endpoints.
 */
export function hasAllowedSources({ allowedSources }: Frontend): boolean {
  return allowedSources !== undefined
}

/** Reports whether packets that would reach an endpoint are checked against source ranges. */
export function isFirewalled(frontend: Frontend): boolean {
  return hasAllowedSources(frontend) && isServed(frontend)
}

/** Returns the last clause. It applies to every packet that no earlier clause matches. */
export function defaultClauseOf({ clauses }: Frontend): Clause {
  return elementAt(clauses, clauses.length - 1)
}

/**
 * Returns the verdict for packets that no earlier clause matches: reject or drop. Returns undefined if these packets
 * reach an endpoint.
 */
export function blockingVerdictOf(frontend: Frontend): 'reject' | 'drop' | undefined {
  const { kind: to } = defaultClauseOf(frontend).action
  return to === 'reject' || to === 'drop' ? to : undefined
}
