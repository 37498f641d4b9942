import { ONE_FRACTION } from '../../../../compiler/src/internal/fraction.js'
import { kernelPacket } from '../../../../compiler/test/support/passages.js'
import type { PathState, PathStep } from '../../../src/dataplane/netfilter/path-state.js'

/** Builds an initial path state with overrides. */
export function branch(fields: Partial<PathState> = {}): PathState {
  return {
    weight: ONE_FRACTION,
    assumptions: [],
    packet: kernelPacket(),
    budget: { rules: 100, forks: 100, choices: 100 },
    ...fields,
  }
}

export function step(text: string): PathStep {
  const nothing = { target: '', jumpsTo: '', comment: '', servicePort: '' } as const
  return { hook: 'PREROUTING', table: 'iptables nat', chain: 'T', text, ...nothing }
}
