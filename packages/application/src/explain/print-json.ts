import type { Explanation, ReachabilityRow } from '@kube-rules/analyzer'
import { printJsonDocument } from '../messages/lines.js'
import type { ExplainedNode } from './explained-node.js'

/** The part of a node that its documents have besides packets. */
type DocumentContext = Pick<ExplainedNode, 'assumed' | 'diagnostics'>

/** Prints one JSON document; `docs/reference/cli.md` describes its fields. */
export function printExplanationsJson(
  explanations: readonly Explanation[],
  { assumed, diagnostics }: DocumentContext,
): string {
  return printJsonDocument({ explanations, assumed, diagnostics })
}

export function printReachabilityJson(
  frontends: readonly ReachabilityRow[],
  { assumed, diagnostics }: DocumentContext,
): string {
  return printJsonDocument({ frontends, assumed, diagnostics })
}
