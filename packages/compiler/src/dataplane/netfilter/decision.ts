import { type Branch, type Departed, depart, NEXT, withPacket } from './branch.js'
import type { Hook } from './hooks.js'

/** What is settled once for a whole connection. */
type Decision = 'destinationDecided' | 'sourceDecided'

/** Asks whoever translates addresses at a hook, unless that is settled: `visit` is asked once for a connection. */
export function visitToTranslate(
  hook: Hook,
  branch: Branch,
  visit: (branch: Branch) => readonly Departed[],
): readonly Departed[] {
  const decision: Decision = hook === 'PREROUTING' || hook === 'OUTPUT' ? 'destinationDecided' : 'sourceDecided'
  if (branch.packet[decision]) return [depart(branch, NEXT)]
  return visit(branch).map((departed) =>
    depart(withPacket(departed, { ...departed.packet, [decision]: true }), departed.departure),
  )
}
