import { conditionOfLocality, withPathAssumptions } from './assumed-locality.js'
import { type PathState, pathsOfDestinations, withAssumption } from './path-state.js'
import { divide, type RunContext } from './split-path.js'

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
  for (const { path: part, value } of divide(withoutSourceReads(path), ({ destination }) => isLocal(destination))) {
    const whole = { ...part, sources: path.sources }
    if (value !== 'unknown') (value === 'yes' ? local : away).push(whole)
    else
      for (const each of pathsOfDestinations(whole)) {
        local.push(assumeLocality(each, each.packet.destination, true))
        away.push(assumeLocality(each, each.packet.destination, false))
      }
  }
  return { local, away }
}

/** Returns the path with its first source only, to divide it by destinations alone. */
function withoutSourceReads(path: PathState): PathState {
  return path.sources === undefined ? path : { ...path, sources: undefined }
}

export function assumeLocality(path: PathState, address: string, holds: boolean): PathState {
  return withAssumption(path, conditionOfLocality(address), holds)
}
