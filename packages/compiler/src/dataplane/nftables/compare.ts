import type { Resource } from '../../diff/resource.js'
import { lazily } from '../../internal/lazily.js'
import { compareResources } from '../compare-resources.js'
import type { Comparison, Custody } from '../comparison.js'
import { canonical } from './canonical.js'
import { tableOwners } from './claims.js'
import { LISTED } from './print/spelling.js'
import { printElement } from './print/statements.js'
import { type NftablesValue, resourcesOf, setId, tableId } from './resources.js'
import { ruleText } from './rule-text.js'
import type { NftablesState } from './state.js'

/** Compares tables: chains as a whole, sets and maps element by element, in whatever order they are. */
export function compareNftables(
  wanted: NftablesState,
  live: NftablesState,
  custody: Custody<NftablesState, Resource>,
): Comparison {
  const sides = { wanted: resourcesOf(canonicalState(wanted)), live: resourcesOf(canonicalState(live)) }
  const owners = lazily(() => new Map([...tableOwners(custody.attribute?.(live) ?? live), ...tableOwners(wanted)]))
  return compareResources(sides, custody, { owners, textOf, ownValue: ({ value }) => value, holderOf })
}

export function canonicalState({ tables }: NftablesState): NftablesState {
  return { tables: tables.map(canonical) }
}

/** An element is in its set, all else in its table. */
function holderOf({ value }: Resource): string | undefined {
  const one = value as NftablesValue
  if (one.kind === 'table') return undefined
  return one.kind === 'element' ? setId(one.table, one.value.set) : tableId(one.table)
}

/** As nft prints it. */
function textOf({ value }: Resource): string {
  const one = value as NftablesValue
  switch (one.kind) {
    case 'table':
      return `table ${one.value.family} ${one.value.name}`
    case 'chain': {
      const { name, rules } = one.value
      return [`chain ${name}`, ...rules.map(ruleText)].join('\n')
    }
    case 'set':
      return `${one.value.kind} ${one.value.name}`
    case 'element':
      return `${one.value.set} ${printElement(one.value.element, [], [], LISTED['1.1'])}`
    case 'object':
      return `${one.value.kind === 'counter' ? 'counter' : one.value.type} ${one.value.name}`
  }
}
