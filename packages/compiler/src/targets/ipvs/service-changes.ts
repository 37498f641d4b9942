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
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && before[start] === after[start]) start++
  let end = 0
  while (end < limit - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  return middleChanges(before.slice(start, before.length - end), after.slice(start, after.length - end))
}

function middleChanges(before: Services, after: Services): ServiceChanges {
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
