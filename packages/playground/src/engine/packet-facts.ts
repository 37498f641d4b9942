import type { TracePath } from '@kube-rules/analyzer'
import type { FactAnswers } from '../question/fact-answers.js'
import type { PacketFact } from './results.js'

/** Returns the paths that the known values allow, or all paths if none is left. */
export function keepPossiblePaths(paths: readonly TracePath[], answers: FactAnswers): readonly TracePath[] {
  const possible = paths.filter(({ assumptions }) =>
    assumptions.every(({ condition, value }) => answers.get(condition) !== !value),
  )
  return possible.length === 0 ? paths : possible
}

/** Lists the facts that the paths depend on: unknown facts only if a possible path depends on them. */
export function listFacts(
  paths: readonly TracePath[],
  possible: readonly TracePath[],
  answers: FactAnswers,
): readonly PacketFact[] {
  const conditionsOf = (some: readonly TracePath[]) =>
    some.flatMap(({ assumptions }) => assumptions.map(({ condition }) => condition))
  const open = new Set(conditionsOf(possible))
  return [...new Set(conditionsOf(paths))].flatMap((condition) => {
    const answer = answers.get(condition)
    return answer === undefined && !open.has(condition)
      ? []
      : [{ text: shortenCondition(condition), condition, answer }]
  })
}

/**
 * Shortens a condition: a rule without its table and comment, and a number of rules without their texts.
 * `iptables filter -A FORWARD -i cali+ -m comment --comment "cali:8Zo" -j cali-from matches` is
 * `-A FORWARD -i cali+ -j cali-from matches`.
 */
export function shortenCondition(condition: string): string {
  const [several = ''] = /^one of \d+ rules that cannot be evaluated applies(?=:)/.exec(condition) ?? []
  if (several !== '') return several
  return condition
    .replace(/^(?:iptables \w+|nftables \S+ \S+) (?=-A )/, '')
    .replace(/ -m comment --comment (?:"[^"]*"|\S+)/g, '')
}
