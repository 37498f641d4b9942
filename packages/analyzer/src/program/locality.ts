import { conditionOfLocality, withPathAssumptions } from './assumed-locality.js'
import { type PathState, pathsOfDestinations, withAssumption } from './path-state.js'
import { divideDestinations, type RunContext } from './split-path.js'

/** The paths with a local destination, and the paths with any other destination. */
export interface PathsByLocality {
  readonly local: readonly PathState[]
  readonly away: readonly PathState[]
}

/** Divides a path by whether its destination is local. If this is unknown, forks the path. */
export function splitByLocality(path: PathState, run: Pick<RunContext, 'facts'>): PathsByLocality {
  const { isLocal } = withPathAssumptions(path.assumptions, run.facts)
  const local: PathState[] = []
  const away: PathState[] = []
  for (const { path: part, value } of divideDestinations(path, ({ address }) => isLocal(address))) {
    if (value !== 'unknown') (value === 'yes' ? local : away).push(part)
    else
      for (const each of pathsOfDestinations(part)) {
        local.push(assumeLocality(each, each.packet.destination, true))
        away.push(assumeLocality(each, each.packet.destination, false))
      }
  }
  return { local, away }
}

export function assumeLocality(path: PathState, address: string, holds: boolean): PathState {
  return withAssumption(path, conditionOfLocality(address), holds)
}
