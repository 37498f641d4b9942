import { type DifferingPart, differingPart } from '../../internal/differing-part.js'
import type { ServiceEntries } from './service-entries.js'

/** Service ports that are gone, and those that have come; a changed one is in both. */
export interface ServiceChanges {
  readonly gone: readonly ServiceEntries[]
  readonly come: readonly ServiceEntries[]
}

type Services = readonly ServiceEntries[]

/**
 * How two lists differ, told by identity: at the ends the cost is one comparison for each. Where service ports that are
 * in both stand in another order, all between the ends go and come.
 */
export function serviceChanges(before: Services, after: Services): ServiceChanges {
  return changesIn(differingPart(before, after))
}

function changesIn({ before, after }: DifferingPart<ServiceEntries>): ServiceChanges {
  const old = new Set(before)
  const fresh = new Set(after)
  const stayed = before.filter((service) => fresh.has(service))
  const kept = after.filter((service) => old.has(service))
  if (stayed.some((service, place) => service !== kept[place])) return { gone: before, come: after }
  return {
    gone: before.filter((service) => !fresh.has(service)),
    come: after.filter((service) => !old.has(service)),
  }
}
