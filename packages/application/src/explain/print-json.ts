import type { Explanation, ReachabilityRow } from '@kube-rules/analyzer'
import type { Diagnostic } from '@kube-rules/types'
import { jsonDocument } from '../messages/lines.js'

/** Prints one JSON document; `docs/cli.md` describes its fields. */
export function printExplanationsJson(
  explanations: readonly Explanation[],
  diagnostics: readonly Diagnostic[],
): string {
  return jsonDocument({ explanations, diagnostics })
}

export function printReachabilityJson(
  frontends: readonly ReachabilityRow[],
  diagnostics: readonly Diagnostic[],
): string {
  return jsonDocument({ frontends, diagnostics })
}
