/** The known values of conditions, from the user. */
export type FactAnswers = ReadonlyMap<string, boolean>

/** Parses the field `answers` of a request. */
export function parseAnswers(text: string): FactAnswers {
  return new Map(text.split('\n').flatMap((line) => (line === '' ? [] : [[line.slice(1), line.startsWith('+')]])))
}

/** Formats the field `answers` after one value changed; undefined removes the value. */
export function formatAnswers(answers: FactAnswers, condition: string, answer: boolean | undefined): string {
  const others = [...answers].filter(([known]) => known !== condition)
  const all = answer === undefined ? others : [...others, [condition, answer] as const]
  return all.map(([known, isTrue]) => `${isTrue ? '+' : '-'}${known}`).join('\n')
}
