import { recordDestinationRead } from '@kube-rules/compiler/internal/dataplane/netfilter/destination-read-log'
import type { EvaluationContext } from '@kube-rules/compiler/internal/dataplane/netfilter/evaluation-context'
import type { Ternary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { type PathState, withAssumption } from './path-state.js'

/** The path states with a local destination, and the path states with any other destination. */
export interface PathsByLocality {
  readonly local: readonly PathState[]
  readonly away: readonly PathState[]
}

/** Splits a path state by whether its destination is local. If this is unknown, forks the path state. */
export function splitByLocality(branch: PathState, facts: EvaluationContext): PathsByLocality {
  const { destination } = branch.packet
  const ternary = readLocality(branch, withPathAssumptions(branch, facts))
  if (ternary !== 'unknown') return ternary === 'yes' ? { local: [branch], away: [] } : { local: [], away: [branch] }
  return { local: [assumeLocality(branch, destination, true)], away: [assumeLocality(branch, destination, false)] }
}

function readLocality({ packet }: PathState, { isLocal }: EvaluationContext): Ternary {
  if (packet.destinationLog === undefined) return isLocal(packet.destination)
  return recordDestinationRead(packet, ({ destination }) => isLocal(destination))
}

export function assumeLocality(branch: PathState, address: string, holds: boolean): PathState {
  return withAssumption(branch, questionOf(address), holds)
}

/** Returns the facts with the assumptions of a path, so that an assumed condition is not evaluated again. */
export function withPathAssumptions({ assumptions }: PathState, facts: EvaluationContext): EvaluationContext {
  if (assumptions.length === 0) return facts
  return {
    ...facts,
    isLocal: (address) => {
      const question = questionOf(address)
      const assumed = assumptions.find(({ condition }) => condition === question)
      if (assumed === undefined) return facts.isLocal(address)
      return assumed.value ? 'yes' : 'no'
    },
  }
}

/** Reports whether a condition states that an address is local. */
export function isLocalityCondition(condition: string): boolean {
  return condition.endsWith(OWN_ADDRESS)
}

const OWN_ADDRESS = ' is an address of the node'

function questionOf(address: string): string {
  return address + OWN_ADDRESS
}
