import type { Explanation, SurveyRow } from '@kube-rules/compiler'
import type { Diagnostic } from '@kube-rules/types'

/** One JSON document; `docs/cli.md` describes its fields. */
export function printExplanationsJson(
  explanations: readonly Explanation[],
  diagnostics: readonly Diagnostic[],
): string {
  return printDocument({ explanations, diagnostics })
}

export function printSurveyJson(frontends: readonly SurveyRow[], diagnostics: readonly Diagnostic[]): string {
  return printDocument({ frontends, diagnostics })
}

function printDocument(fields: object): string {
  return `${JSON.stringify({ schemaVersion: 1, ...fields }, null, 2)}\n`
}
