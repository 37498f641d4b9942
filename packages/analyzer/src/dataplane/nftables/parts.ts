import type { Chain, Selector, Statement } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { isIntervalKey } from '@kube-rules/compiler/internal/dataplane/nftables/keys/intervals'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { NftablesState, SetElement } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { backingListOf, hasLazyArray } from '@kube-rules/compiler/internal/internal/lazy-array'
import { createStatePartition, type OwnedContent, type PortFilter, type StatePartition } from '../netfilter/parts.js'
import { isPayloadField } from './matched-destinations.js'

/**
 * Splits a compiled table by owner: the chains, sets and elements of each owner, with the addresses of its elements in
 * shared sets. Undefined if a table is not compiled.
 */
export function splitNftablesByOwner(state: NftablesState, mayBeOfPart?: PortFilter): StatePartition | undefined {
  const { staticTable } = state
  const contributions = hasLazyArray(state) ? backingListOf(state, 'contributions') : undefined
  if (staticTable === undefined || contributions === undefined) return undefined
  const lookups = findLookupsWithoutDestination([staticTable, ...contributions])
  return createStatePartition(
    [staticTable],
    contributions.map((contribution) => {
      const { owner, chains, sets, elements } = contribution
      return {
        owners: [owner],
        value: () => ({ chains, sets, elements }),
        source: contribution,
        ...placesOf(elements, lookups),
        names: [...chains, ...sets].map(({ name }) => name),
      }
    }),
    mayBeOfPart,
  )
}

/**
 * Returns the addresses in the keys of elements, and the ports in the keys of sets that rules look up by port. The
 * addresses are undefined if a key has neither, or represents a range.
 */
function placesOf(
  elements: readonly SetElement[],
  lookups: ReadonlyMap<string, 'port' | 'other'>,
): Pick<OwnedContent, 'destinations' | 'ports'> {
  const destinations: string[] = []
  const ports: number[] = []
  for (const { set, element } of elements) {
    const components = isIntervalKey(element.key) ? [] : splitConcatenation(element.key)
    const lookup = lookups.get(set)
    const port = Number(components.at(-1))
    const addresses = components.filter(isAddress)
    if (lookup === 'port' && Number.isInteger(port)) ports.push(port)
    else if (lookup === undefined && addresses.length > 0) destinations.push(...addresses)
    else return { destinations: undefined }
  }
  return { destinations, ports }
}

/** Reports whether a key component is an address; only addresses have dots or colons. */
function isAddress(part: string): boolean {
  return part.includes('.') || part.includes(':')
}

/**
 * Returns the sets that rules look up without the destination address: `port` if the last component of the key is the
 * destination port in all these lookups.
 */
function findLookupsWithoutDestination(
  all: readonly { readonly chains: readonly Chain[] }[],
): ReadonlyMap<string, 'port' | 'other'> {
  const lookups = new Map<string, 'port' | 'other'>()
  for (const { chains } of all) {
    for (const { rules } of chains) {
      for (const { statements } of rules) {
        for (const statement of statements) {
          const [set, key] = lookupOf(statement)
          if (set === undefined || key.some((selector) => isPayloadField(selector, 'daddr'))) continue
          const last = key.at(-1)
          const isByPort = last !== undefined && isPayloadField(last, 'dport')
          lookups.set(set, isByPort && lookups.get(set) !== 'other' ? 'port' : 'other')
        }
      }
    }
  }
  return lookups
}

/** Returns the set that a statement looks up, and the fields of the key. */
function lookupOf(statement: Statement): readonly [set: string | undefined, key: readonly Selector[]] {
  switch (statement.kind) {
    case 'match':
      return [statement.right.kind === 'named' ? statement.right.set : undefined, statement.left]
    case 'vmap':
      return [statement.map.kind === 'named' ? statement.map.set : undefined, statement.key]
    default:
      return [undefined, []]
  }
}
