import type { Element, Rule, Selector, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import type { MatchedDestination } from '../../program/read-set.js'

/**
 * Yields the destinations that rules, sets and maps may match on: every address in a key, with the last numeric
 * component of the key as the port.
 */
export function* destinationsOfTables({ tables }: NftablesState): Iterable<MatchedDestination> {
  for (const { sets, chains } of tables) {
    for (const { elements } of sets) yield* destinationsOfElements(elements)
    for (const { rules } of chains) for (const rule of rules) yield* placesOfRule(rule)
  }
}

function* placesOfRule({ statements }: Rule): Iterable<MatchedDestination> {
  for (const statement of statements) yield* placesOfStatement(statement)
}

function* placesOfStatement(statement: Statement): Iterable<MatchedDestination> {
  if (statement.kind === 'vmap' && statement.map.kind === 'anonymous')
    yield* destinationsOfElements(statement.map.elements)
  if (statement.kind === 'dnat' && statement.to.kind === 'map') yield* destinationsOfElements(statement.to.elements)
  if (statement.kind !== 'match' || !statement.left.some((selector) => isPayloadField(selector, 'daddr'))) return
  const { right } = statement
  if (right.kind === 'value') yield* placesOfKey(right.value)
  if (right.kind === 'anonymous') for (const key of right.keys) yield* placesOfKey(key)
}

function* destinationsOfElements(elements: readonly Element[]): Iterable<MatchedDestination> {
  for (const { key } of elements) yield* placesOfKey(key)
}

function* placesOfKey(key: string): Iterable<MatchedDestination> {
  const parts = splitConcatenation(key)
  const port = [...parts].reverse().find((part) => /^\d+(?:-\d+)?$/.test(part))
  for (const address of parts) if (/[.:]/.test(address)) yield { address, port }
}

export function isPayloadField(selector: Selector, field: string): boolean {
  return selector.kind === 'payload' && selector.field === field
}
