import { createLazyGetter } from '../../internal/memo.js'
import { isDeepEqual } from '../../internal/plain-data.js'
import { areResourcesEqual, type Resource, type Resources } from '../../patch/resource.js'
import { compareResources } from '../compare-resources.js'
import type { ResourceOwnership, StateComparison } from '../comparison.js'
import type { DriftPart } from '../drift-part.js'
import type { Chain, Table } from './ast.js'
import { canonicalizeChain, canonicalizeWithout } from './canonical.js'
import { findResourceOwners } from './claims.js'
import { formatNftRule } from './format-nft-rule.js'
import { splitConcatenation } from './keys/key-components.js'
import { NFT_FORMATS } from './print/nftables-format.js'
import { printBaseChain } from './print/print-listing.js'
import { printFlags, printSetProperties } from './print/properties.js'
import { printElement } from './print/statements.js'
import {
  eachResource,
  formatSetId,
  formatTableId,
  type NftablesResourceValue,
  nftablesResourceValueOf,
  resourcesOf,
} from './resources.js'
import type { NftablesState } from './state.js'

/**
 * Compares tables: each chain as a whole, and each set or map element by element, regardless of order. Ignores
 * properties that older versions of nft do not list: the `dynamic` flag of sets, and all comments except those of
 * rules. Also ignores the size of a set.
 */
export function compareNftables(
  expected: NftablesState,
  actual: NftablesState,
  ownership: ResourceOwnership<NftablesState, Resource>,
): StateComparison {
  const equal = findEqualChains(expected, actual)
  const should = resourcesOf(canonicalizeState(expected, equal))
  const sides = { expected: should, actual: asExpected(canonicalizeState(actual, equal), should) }
  const owners = createLazyGetter(
    () => new Map([...findResourceOwners(ownership.attribute?.(actual) ?? actual), ...findResourceOwners(expected)]),
  )
  return compareResources(sides, ownership, { owners, textOf, partOf, ownValue: ({ value }) => value, containerOf })
}

/**
 * Returns the resources of the actual state. Returns the expected resource instead if both are equal, or differ only in
 * properties that nft may not list. Equal states then need their memory only once. Chains that are the same to nft are
 * left out before.
 */
function asExpected(actual: NftablesState, expected: Resources): Resources {
  const resources = new Map<string, Resource>()
  for (const resource of eachResource(actual)) {
    const other = expected.get(resource.id)
    resources.set(resource.id, other !== undefined && isSameListing(resource, other) ? other : resource)
  }
  return resources
}

function isSameListing(resource: Resource, other: Resource): boolean {
  return areResourcesEqual(resource, other) || isDeepEqual(listed(resource), listed(other))
}

/** Returns the properties of a resource that every version of nft lists. */
function listed({ value }: Resource): NftablesResourceValue {
  const one = nftablesResourceValueOf({ value })
  switch (one.kind) {
    case 'table':
      return { ...one, value: { ...one.value, comment: undefined } }
    case 'set': {
      // The size and the implied `timeout` flag are not compared. For a dynamic set, the kernel also reports a size. A
      // default timeout implies the `timeout` flag.
      const { flags = [], size: _, ...set } = one.value
      const others = flags.filter((flag) => flag !== 'dynamic' && (flag !== 'timeout' || set.timeout === undefined))
      return { ...one, value: { ...set, flags: others, comment: undefined } }
    }
    case 'chain':
    case 'element':
    case 'object':
      return one
  }
}

/** Converts the tables of a state to normal form. `leftOut` has the names of the chains to leave out, by table id. */
export function canonicalizeState({ tables }: NftablesState, leftOut?: ChainNames): NftablesState {
  return { tables: tables.map((table) => canonicalizeWithout(table, leftOut?.get(formatTableId(table)) ?? new Set())) }
}

/** The names of chains by table id. */
type ChainNames = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Finds the chains that need not be compared, because they are equal in both states but for their comments. Only one
 * pair of chains at a time is converted to normal form: a large table has tens of thousands of equal chains.
 */
function findEqualChains(expected: NftablesState, actual: NftablesState): ChainNames {
  const others = new Map(actual.tables.map((table) => [formatTableId(table), table]))
  return new Map(
    expected.tables.map((table) => {
      const id = formatTableId(table)
      const chains = new Map(others.get(id)?.chains.map((chain) => [chain.name, chain]))
      const equal = table.chains.filter((chain) => {
        const other = chains.get(chain.name)
        return other !== undefined && areChainsEqual(chain, other, table.family)
      })
      return [id, new Set(equal.map(({ name }) => name))]
    }),
  )
}

function areChainsEqual(one: Chain, other: Chain, family: Table['family']): boolean {
  const [{ base, rules }, found] = [canonicalizeChain(one, family), canonicalizeChain(other, family)]
  return isDeepEqual(base, found.base) && isDeepEqual(rules, found.rules)
}

/**
 * Returns the id of the container of a resource. An element belongs to its set, and any other resource belongs to its
 * table.
 */
function containerOf(resource: Resource): string | undefined {
  const one = nftablesResourceValueOf(resource)
  if (one.kind === 'table') return undefined
  return one.kind === 'element' ? formatSetId(one.table, one.value.set) : formatTableId(one.table)
}

/** Formats a resource like nft. */
function textOf(resource: Resource): string {
  const one = nftablesResourceValueOf(resource)
  switch (one.kind) {
    case 'table':
      return [`table ${one.value.family} ${one.value.name}`, ...printFlags(one.value.flags)].join('\n')
    case 'chain': {
      const { name, base, rules } = one.value
      const hook = base === undefined ? [] : [printBaseChain(base, one.table.family, '1.1')]
      return [`chain ${name}`, ...hook, ...rules.map(formatNftRule)].join('\n')
    }
    case 'set':
      return [
        `${one.value.kind} ${one.value.name}`,
        ...printSetProperties(one.value, NFT_FORMATS['1.1'], ['key', 'flags', 'timeout']),
      ].join('\n')
    case 'element':
      return `${one.value.set} ${printElement(one.value.element, [], [], NFT_FORMATS['1.1'])}`
    case 'object':
      return `${one.value.kind === 'counter' ? 'counter' : one.value.type} ${one.value.name}`
  }
}

function partOf(resource: Resource): DriftPart {
  const one = nftablesResourceValueOf(resource)
  const table = `${one.table.family} ${one.table.name}`
  switch (one.kind) {
    case 'table':
      return { kind: 'table', table }
    case 'chain':
      return { kind: 'chain', table, chain: one.value.name }
    case 'set':
      return { kind: 'set', table, set: one.value.name }
    case 'element':
      return { kind: 'element', table, set: one.value.set, key: splitConcatenation(one.value.element.key) }
    case 'object':
      return { kind: 'object', table, object: one.value.name }
  }
}
