import { type Answer, placeInDump } from '@kube-rules/analyzer/explain'
import type { Source } from '../cluster/source.js'

/** Adds the file and line of its rule to the diagnosis. Returns it unchanged if no text contains the rule. */
export function withSource(answer: Answer, sources: readonly Source[]): Answer {
  const texts = sources.map(({ text }) => text)
  const place = placeInDump(answer.rule, texts)
  return place === undefined ? answer : { ...answer, source: `${sources[place.text]?.name}:${place.line}` }
}
