import { type Answer, placeInDump } from '@kube-rules/analyzer/explain'
import type { Source } from '../cluster/source.js'

/** The answer with the file and line in which its rule stands; as it is where it stands in none of the texts. */
export function withSource(answer: Answer, sources: readonly Source[]): Answer {
  const texts = sources.map(({ text }) => text)
  const place = placeInDump(answer.rule, texts)
  return place === undefined ? answer : { ...answer, source: `${sources[place.text]?.name}:${place.line}` }
}
