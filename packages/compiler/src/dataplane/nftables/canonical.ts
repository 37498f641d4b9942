import { compareValues } from '../../internal/compare-values.js'
import { mapChanged } from '../../internal/map-list.js'
import type { Chain, Element, NamedObject, NamedSet, Operand, Rule, Statement, Table } from './ast.js'
import { toListedChain, toListedSets } from './listed-form.js'

/**
 * Converts a table to normal form for comparison. If two normal forms are deeply equal, the tables are equivalent for
 * the kernel.
 *
 * The normal form is based on `toListedForm`, with further changes. Elements are in code-unit order of their keys. If
 * several elements have the same key, only the last element remains. Handles, counters, remaining times, and size 65535
 * of dynamic sets are removed. An anonymous set with only one value becomes that value. Chains, sets and objects are in
 * code-unit order of their names.
 */
export function canonicalize(table: Table): Table {
  return canonicalizeWithout(table, new Set())
}

/** Converts a table to normal form, without the chains with these names. */
export function canonicalizeWithout(table: Table, chainNames: ReadonlySet<string>): Table {
  const { handle: _, ...rest } = table
  const chains = table.chains.filter(({ name }) => !chainNames.has(name))
  return {
    ...rest,
    chains: byName(chains.map((chain) => canonicalizeChain(chain, table.family))),
    sets: byName(toListedSets(table, '1.0').map(canonicalizeSet)),
    objects: byName(table.objects.map(canonicalizeObject)),
  }
}

function byName<Item extends { readonly name: string }>(items: readonly Item[]): readonly Item[] {
  return [...items].sort((left, right) => compareValues(left.name, right.name))
}

/**
 * Converts a chain to normal form. Like the functions for rules and statements, returns the argument itself if it has
 * normal form, so that a large table exists only once.
 */
export function canonicalizeChain(chain: Chain, family: Table['family']): Chain {
  const { base, handle, ...others } = chain
  const rules = mapChanged(toListedChain(chain, family, '1.0').rules, canonicalizeRule)
  if (base === undefined && handle === undefined && rules === chain.rules) return chain
  return { ...others, ...(base !== undefined && { base: { ...base, policy: base.policy ?? 'accept' } }), rules }
}

function canonicalizeObject({ handle: _, ...object }: NamedObject): NamedObject {
  return object.kind === 'counter' ? { ...object, packets: 0, bytes: 0 } : object
}

function canonicalizeSet({ handle: _, ...set }: NamedSet): NamedSet {
  const { size, ...unsized } = set
  const isFillable = set.timeout !== undefined || set.flags?.some((flag) => flag === 'dynamic' || flag === 'timeout')
  const isUnsaid = size === 65_535 && isFillable === true
  return { ...(isUnsaid ? unsized : set), elements: canonicalizeElements(set.elements) }
}

function canonicalizeElements(elements: readonly Element[]): readonly Element[] {
  const byKey = new Map<string, Element>()
  for (const element of elements) byKey.set(element.key, element)
  const sorted = [...byKey.values()].sort((left, right) => (left.key < right.key ? -1 : 1))
  return sorted.map(canonicalizeElement)
}

function canonicalizeElement(element: Element): Element {
  if (element.expires === undefined && element.counter === undefined) return element
  const { expires: _, counter, ...rest } = element
  return counter === undefined ? rest : { ...rest, counter: { packets: 0, bytes: 0 } }
}

/** Converts one rule of a listed table to normal form. */
function canonicalizeRule(rule: Rule): Rule {
  const { handle, ...others } = rule
  const statements = mapChanged(rule.statements, canonicalizeStatement)
  return handle === undefined && statements === rule.statements ? rule : { ...others, statements }
}

function canonicalizeStatement(statement: Statement): Statement {
  switch (statement.kind) {
    case 'match': {
      const right = canonicalizeOperand(statement.right, statement.left.length)
      return right === statement.right ? statement : { ...statement, right }
    }
    case 'counter':
      return { ...statement, packets: 0, bytes: 0 }
    default:
      return statement
  }
}

function canonicalizeOperand(operand: Operand, parts: number): Operand {
  const [only] = operand.kind === 'anonymous' ? operand.keys : []
  const isOne = operand.kind === 'anonymous' && operand.keys.length === 1 && parts === 1
  return isOne && only !== undefined ? { kind: 'value', value: only } : operand
}
