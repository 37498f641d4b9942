import type { Chain, Selector, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { isIntervalKey } from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { NftablesState, SetElement } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { backingListOf, hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createStatePartition, type StatePartition } from '../netfilter/parts.js'
import { isPayloadField } from './matched-destinations.js'

/**
 * Splits a compiled table by owner: the chains, sets and elements of each owner, with the addresses of its elements in
 * shared sets. Undefined if a table is not compiled.
 */
export function splitNftablesByOwner(state: NftablesState): StatePartition | undefined {
  const { staticTable } = state
  const contributions = hasLazyArray(state) ? backingListOf(state, 'contributions') : undefined
  if (staticTable === undefined || contributions === undefined) return undefined
  const blind = setsReadWithoutDestination([staticTable, ...contributions])
  return createStatePartition(
    [staticTable],
    contributions.map((contribution) => {
      const { owner, chains, sets, elements } = contribution
      return {
        owners: [owner],
        value: () => ({ chains, sets, elements }),
        source: contribution,
        destinations: elements.some(({ set }) => blind.has(set)) ? undefined : destinationsOfElements(elements),
        names: [...chains, ...sets].map(({ name }) => name),
      }
    }),
  )
}

/** Returns the addresses in the keys of elements; undefined if a key has no address, or represents a range. */
function destinationsOfElements(elements: readonly SetElement[]): readonly string[] | undefined {
  const places: string[] = []
  for (const { element } of elements) {
    const own = isIntervalKey(element.key) ? [] : splitConcatenation(element.key).filter(isAddress)
    if (own.length === 0) return undefined
    places.push(...own)
  }
  return places
}

/** Reports whether a key component is an address; only addresses have dots or colons. */
function isAddress(part: string): boolean {
  return part.includes('.') || part.includes(':')
}

/** Returns the sets that rules look up without the destination address. */
function setsReadWithoutDestination(all: readonly { readonly chains: readonly Chain[] }[]): ReadonlySet<string> {
  const setNames = new Set<string>()
  for (const { chains } of all) {
    for (const { rules } of chains) {
      for (const { statements } of rules) {
        for (const statement of statements) {
          const set = setReadWithoutDestination(statement)
          if (set !== undefined) setNames.add(set)
        }
      }
    }
  }
  return setNames
}

function setReadWithoutDestination(statement: Statement): string | undefined {
  switch (statement.kind) {
    case 'match':
      return statement.right.kind === 'named' && !statement.left.some(isDestination) ? statement.right.set : undefined
    case 'vmap':
      return statement.map.kind === 'named' && !statement.key.some(isDestination) ? statement.map.set : undefined
    default:
      return undefined
  }
}

function isDestination(selector: Selector): boolean {
  return isPayloadField(selector, 'daddr')
}
