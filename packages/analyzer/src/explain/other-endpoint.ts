import type { Decision } from '@kube-rules/compiler/internal/plan/decide'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import { preferKnownPaths } from '../program/missing-content.js'
import { isAssumedRule } from '../targets/shared/assumed-rule.js'
import type { TracePath } from '../trace/trace-paths.js'
import { changesDestination } from './format-path-outcome.js'

/** A rule or virtual server in the dump that sends packets to an address that is not an endpoint. */
export interface OtherEndpoint {
  /** The address and port: `10.244.9.9:8080`. */
  readonly endpoint: string
  /** The chain of the rule; empty for a virtual server. */
  readonly chain: string
}

/**
 * Finds a rule in the dump that sends packets of this destination to an address that the objects do not define. Other
 * content, which the dump does not show, may still prevent that.
 */
export function findOtherEndpoint(decision: Decision, paths: readonly TracePath[]): OtherEndpoint | undefined {
  const expected = decision.kind === 'endpoints' ? decision.candidates.map(({ endpoint }) => endpoint.text) : []
  for (const { outcome, steps } of preferKnownPaths(paths)) {
    const step = steps.filter(changesDestination).at(-1)
    if (outcome.kind !== 'delivered' || step === undefined || isAssumedRule(step.text)) continue
    const endpoint = joinHostPort(outcome.address, outcome.port)
    if (!expected.includes(endpoint)) return { endpoint, chain: step.chain }
  }
  return undefined
}
