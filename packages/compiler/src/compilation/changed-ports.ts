import { isDeepEqual } from '../internal/plain-data.js'
import type { CachedServicePort } from './cached-services.js'
import type { FamilyLoweringContext, LoweredServicePort } from './lowered-service-port.js'

/** Removed and added service ports. A changed service port is removed in its old form and added in its new form. */
export interface PortChanges {
  readonly removed: readonly CachedServicePort[]
  readonly added: readonly CachedServicePort[]
}

/** Computes the removed and added service ports. A service port that is in `before` and in `after` is unchanged. */
export function findChangedPorts(
  before: readonly CachedServicePort[],
  after: readonly CachedServicePort[],
): PortChanges {
  if (before.length === 0) return { removed: before, added: after }
  const [old, fresh] = [new Set(before), new Set(after)]
  return { removed: before.filter((port) => !fresh.has(port)), added: after.filter((port) => !old.has(port)) }
}

/**
 * Returns the changed service ports. Also returns the unchanged service ports that must be lowered again, because their
 * contribution depends on a changed part of the lowering context.
 */
export function findPortsToLower(
  { mode, lowering, ports }: PreviousPorts,
  { removed, added }: PortChanges,
  next: unknown,
): PortChanges {
  const { loweringOf } = mode
  const gone = new Set(removed)
  const others: CachedServicePort[] = []
  for (const { cached } of ports) {
    const { plan } = cached
    const isSame = loweringOf && isDeepEqual(loweringOf(plan, lowering), loweringOf(plan, next))
    if (!isSame && !gone.has(cached)) others.push(cached)
  }
  return { removed: [...removed, ...others], added: [...others, ...added] }
}

/** The service ports before a change, with the context that they were lowered in. */
interface PreviousPorts extends Pick<FamilyLoweringContext, 'mode' | 'lowering'> {
  readonly ports: readonly LoweredServicePort[]
}
