import { createRuleLocator, type Diagnosis } from '@kube-rules/analyzer/explain'
import type { TextSource } from '../cluster/text-source.js'

/**
 * Creates a function that adds the file and line of its rule to a diagnosis. It returns the diagnosis unchanged if no
 * text contains the rule.
 */
export function createDumpLocator(sources: readonly TextSource[]): (diagnosis: Diagnosis) => Diagnosis {
  const locate = createRuleLocator(sources.map(({ text }) => text))
  return (diagnosis) => {
    const place = locate(diagnosis.rule)
    return place === undefined ? diagnosis : { ...diagnosis, location: `${sources[place.text]?.name}:${place.line}` }
  }
}
