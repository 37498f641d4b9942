import type { IptablesState, Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import { withoutHostPrefix } from '@kube-rules/types/internal/cidr'
import type { MatchedDestination } from '../../program/read-set.js'

/** Yields the addresses in `-d` options. Ports are not included, because rules match on ports separately. */
export function* destinationsOfRules({ tables }: IptablesState): Iterable<MatchedDestination> {
  for (const { jumps, blocks } of tables) {
    yield* destinationsOf(jumps)
    for (const block of blocks) yield* destinationsOf(getBlockRules(block))
  }
}

function* destinationsOf(rules: readonly Rule[]): Iterable<MatchedDestination> {
  for (const { matches } of rules) {
    for (const match of matches) if (match.kind === 'destination') yield { address: withoutHostPrefix(match.address) }
  }
}
