import type { Assumption } from './assumptions.js'
import type { NodeFacts } from './facts.js'

/** Returns the facts with the assumptions of a path, so that an assumed condition is not evaluated again. */
export function withPathAssumptions(assumptions: readonly Assumption[], facts: NodeFacts): NodeFacts {
  if (assumptions.length === 0) return facts
  return {
    ...facts,
    isLocal: (address) => {
      const question = conditionOfLocality(address)
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

/** Formats the condition that an address is local. */
export function conditionOfLocality(address: string): string {
  return address + OWN_ADDRESS
}
