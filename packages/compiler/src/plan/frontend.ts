import { elementAt } from '../internal/known-items.js'
import type { Clause, Frontend } from './plan.js'

/** Reports whether some packets to the frontend reach a pool of endpoints. */
export function isServed({ clauses }: Frontend): boolean {
  return clauses.some(({ action: then }) => then.kind === 'pool')
}

/**
 * Reports whether a frontend other than the cluster IP is served. All external frontends of a service port share its
 * clauses.
 */
export function isServedExternally(frontend: Frontend): boolean {
  return frontend.kind !== 'clusterIP' && isServed(frontend)
}

/** Reports whether the frontend has source ranges, even if it has no usable endpoints. */
export function hasAllowedSources({ allowedSources }: Frontend): boolean {
  return allowedSources !== undefined
}

/**
 * Reports whether the source ranges of several load-balancer IPs contain the node. Its packets may then come from one of
 * these addresses to another one.
 */
export function permitNodeAtSeveralAddresses(frontends: readonly Frontend[]): boolean {
  const guarded = frontends.filter(({ allowedSources }) => allowedSources?.includesThisNode)
  return new Set(guarded.map(({ address }) => address)).size > 1
}

/** Reports whether the frontend has source ranges and some packets reach endpoints. */
export function isFirewalled(frontend: Frontend): boolean {
  return hasAllowedSources(frontend) && isServed(frontend)
}

/** Returns the last clause. It applies to every packet that no earlier clause matches. */
export function defaultClauseOf({ clauses }: Pick<Frontend, 'clauses'>): Clause {
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
