import { assuming, type Branch } from '@kube-rules/compiler/internal/dataplane/netfilter/branch'
import { askDestination } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-log'
import type { Knowledge } from '@kube-rules/compiler/internal/dataplane/netfilter/knowledge'

/** The ways on which a packet's destination is an address of the node, and those on which it is not. */
export interface Parted {
  readonly local: readonly Branch[]
  readonly away: readonly Branch[]
}

/** Both ways where it cannot be told. */
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

/** The knowledge as a way takes it to be: what it has assumed of an address is not asked again. */
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
