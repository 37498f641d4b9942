import { assuming, type Branch } from './branch.js'
import type { Surroundings } from './surroundings.js'

/** The ways on which a packet's destination is an address of the node, and those on which it is not. */
export interface Parted {
  readonly local: readonly Branch[]
  readonly away: readonly Branch[]
}

/** Both ways where it cannot be told, unless the branch has assumed one already. */
export function partByLocality(branch: Branch, { isLocal }: Surroundings): Parted {
  const { destination } = branch.packet
  const what = `${destination} is an address of the node`
  const assumed = branch.assumptions.find((assumption) => assumption.what === what)
  const truth = assumed === undefined ? isLocal(destination) : assumed.holds ? 'yes' : 'no'
  if (truth !== 'unknown') return truth === 'yes' ? { local: [branch], away: [] } : { local: [], away: [branch] }
  return { local: [assuming(branch, what, true)], away: [assuming(branch, what, false)] }
}
