import type { Branch, Step } from '../../../src/dataplane/netfilter/branch.js'
import { ONE } from '../../../src/internal/fraction.js'
import { kernelPacket } from '../../support/passages.js'

/** Builds an initial path state with overrides. */
export function branch(fields: Partial<Branch> = {}): Branch {
  return { weight: ONE, assumptions: [], packet: kernelPacket(), effort: { rules: 100, questions: 100 }, ...fields }
}

export function step(text: string): Step {
  const nothing = { verdict: '', jumpsTo: '', changes: '', comment: '', owner: '' } as const
  return { hook: 'PREROUTING', by: 'iptables nat', chain: 'T', text, ...nothing }
}
