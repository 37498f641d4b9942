import { type Diagnosis, locateRule } from '@kube-rules/analyzer/explain'
import type { TextSource } from '../cluster/text-source.js'

/** Adds the file and line of the rule to the diagnosis. Returns the diagnosis unchanged if no text contains the rule. */
export function addDumpLocation(diagnosis: Diagnosis, sources: readonly TextSource[]): Diagnosis {
  const texts = sources.map(({ text }) => text)
  const place = locateRule(diagnosis.rule, texts)
  return place === undefined ? diagnosis : { ...diagnosis, location: `${sources[place.text]?.name}:${place.line}` }
}
