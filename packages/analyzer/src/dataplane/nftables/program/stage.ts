import { negate } from '../../../program/literals.js'
import type { Literal } from '../../../program/program.js'

/**
 * When a base chain runs. Connection tracking finds the connection of a packet at priority -200 of PREROUTING and of
 * OUTPUT. Before that, only a packet that the node sent to itself has a connection in PREROUTING.
 */
export type Stage = 'tracked' | 'beforeTrackingInPrerouting' | 'beforeTrackingInOutput'

const TRACKING_PRIORITY = -200

export function stageOf(hook: string, priority: number): Stage {
  if (priority >= TRACKING_PRIORITY) return 'tracked'
  if (hook === 'PREROUTING') return 'beforeTrackingInPrerouting'
  return hook === 'OUTPUT' ? 'beforeTrackingInOutput' : 'tracked'
}

const UNTRACKED: Literal = { kind: 'state', states: ['UNTRACKED'] }
const SENT_BY_NODE: Literal = { kind: 'sentByNode' }
const NEVER: Literal = { kind: 'always', negated: true }

/** Returns the literals that a packet has a connection. */
export function connectionLiterals(stage: Stage): readonly Literal[] {
  switch (stage) {
    case 'tracked':
      return [negate(UNTRACKED)]
    case 'beforeTrackingInPrerouting':
      return [SENT_BY_NODE, negate(UNTRACKED)]
    case 'beforeTrackingInOutput':
      return [NEVER]
  }
}
