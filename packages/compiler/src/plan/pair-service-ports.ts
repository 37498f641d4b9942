import { trimCommonEnds } from '../internal/list-changes.js'
import { compareServicePortIds } from '../model/services/service-port.js'
import type { ServicePlan } from './plan.js'

/** One service port in two plans; undefined in a plan without it. */
export interface ServicePortChange {
  /** The service port in the first plan. */
  readonly before: ServicePlan | undefined
  /** The service port in the second plan. */
  readonly after: ServicePlan | undefined
}

/**
 * Pairs the service ports of two plans, excluding those that are the identical object in both plans. Both lists have
 * the order of `Plan.services`, and so does the result.
 */
export function pairServicePorts(
  before: readonly ServicePlan[],
  after: readonly ServicePlan[],
): readonly ServicePortChange[] {
  const { before: old, after: fresh } = trimCommonEnds(before, after)
  const pairs: ServicePortChange[] = []
  let [oldIndex, freshIndex] = [0, 0]
  while (oldIndex < old.length || freshIndex < fresh.length) {
    if (old[oldIndex] === fresh[freshIndex]) {
      oldIndex++
      freshIndex++
      continue
    }
    const pair = firstOf(old[oldIndex], fresh[freshIndex])
    if (pair.before !== undefined) oldIndex++
    if (pair.after !== undefined) freshIndex++
    pairs.push(pair)
  }
  return pairs
}

/**
 * Returns a pair of both arguments if they are the same service port. Otherwise, returns a pair with only the service
 * port that comes first in the order of `Plan.services`.
 */
function firstOf(before: ServicePlan | undefined, after: ServicePlan | undefined): ServicePortChange {
  if (before === undefined || after === undefined) return { before, after }
  const order = compareServicePortIds(before.id, after.id)
  return { before: order > 0 ? undefined : before, after: order < 0 ? undefined : after }
}
