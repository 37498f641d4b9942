import { assuming, type Branch } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { askDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'

/** The path states with a local destination, and those without. */
export interface Parted {
  readonly local: readonly Branch[]
  readonly away: readonly Branch[]
}

/** Splits a path state by locality of its destination; forks it if the locality is unknown. */
export function partByLocality(branch: Branch, knowledge: Knowledge): Parted {
  const { destination } = branch.packet
  const { isLocal } = knownOn(branch, knowledge)
  const truth = askDestination(branch.packet, (packet) => isLocal(packet.destination))
  if (truth !== 'unknown') return truth === 'yes' ? { local: [branch], away: [] } : { local: [], away: [branch] }
  return { local: [assumingLocal(branch, destination, true)], away: [assumingLocal(branch, destination, false)] }
}

export function assumingLocal(branch: Branch, address: string, holds: boolean): Branch {
  return assuming(branch, questionOf(address), holds)
}

/** Returns the facts with the assumptions of a path, so that an assumed condition is not evaluated again. */
export function knownOn({ assumptions }: Branch, knowledge: Knowledge): Knowledge {
  if (assumptions.length === 0) return knowledge
  return {
    ...knowledge,
    isLocal: (address) => {
      const question = questionOf(address)
      const assumed = assumptions.find(({ what }) => what === question)
      if (assumed === undefined) return knowledge.isLocal(address)
      return assumed.holds ? 'yes' : 'no'
    },
  }
}

function questionOf(address: string): string {
  return `${address} is an address of the node`
}
