import { compareValues } from '../../internal/compare-values.js'
import { elementAt } from '../../internal/known-items.js'
import { mapChanged } from '../../internal/map-list.js'
import type { Chain, Element, MapOperand, NamedSet, Operand, Rule, Statement, Table } from './ast.js'
import { type Interval, isIntervalKey, mergeIntervals, parseInterval, printInterval } from './keys/intervals.js'
import { flagBitOf, sortAsListed } from './keys/key-order.js'
import { keyTypesOf } from './keys/key-types.js'
import { typesOfSelectors } from './selectors.js'
import type { NftVersion } from './version.js'

/** The size that the kernel assigns to a dynamic set. */
const DYNAMIC_SIZE = 65_535

/**
 * Converts a table to the form that nft lists after loading the table. Elements are sorted. In anonymous sets, ranges
 * are sorted and merged, and a set with one element has no braces. `/32` is removed, dynamic sets have `size 65535`,
 * and an element has no timeout if it is the same as the timeout of its set. A table that was parsed from a listing
 * already has this form. Do not pass a parsed table to this function, because the function would remove further braces.
 */
export function toListedForm(table: Table, version: NftVersion): Table {
  const chains = mapChanged(table.chains, (chain) => toListedChain(chain, table.family, version))
  return { ...table, chains, sets: toListedSets(table, version) }
}

/** Converts one chain of a table like `toListedForm`. */
export function toListedChain(chain: Chain, family: Table['family'], version: NftVersion): Chain {
  const rules = mapChanged(chain.rules, (rule) => toListedRule(rule, family, version))
  return rules === chain.rules ? chain : { ...chain, rules }
}

/** Converts the sets of a table like `toListedForm`. */
export function toListedSets(table: Table, version: NftVersion): readonly NamedSet[] {
  const filled = filledSets(table)
  return table.sets.map((set) => toListedSet(set, filled.has(set.name), version))
}

/** Returns the names of the sets that rules add elements to. */
function filledSets({ chains }: Table): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { rules } of chains) {
    for (const { statements } of rules) {
      for (const statement of statements) if (statement.kind === 'setUpdate') names.add(statement.set)
    }
  }
  return names
}

function toListedSet(set: NamedSet, isFilled: boolean, version: NftVersion): NamedSet {
  const types = keyTypesOf(set)
  const { flags: _, ...rest } = set
  const flags = toListedFlags(set)
  const isSized = set.size !== undefined || !isFilled
  const elements = set.elements.map((element) => toListedElement(withoutTimeout(element, set), types))
  return {
    ...rest,
    ...(flags.length > 0 && { flags }),
    ...(!isSized && { size: DYNAMIC_SIZE }),
    elements: inElementOrder(elements, types, version),
  }
}

/** The flags of sets, in the print order of nft. */
const FLAG_ORDER = ['dynamic', 'constant', 'interval', 'timeout']

/**
 * Returns the listed flags. A default timeout implies the `timeout` flag. In this case, nft omits the flag if it is the
 * only flag.
 */
function toListedFlags({ flags = [], timeout }: NamedSet): readonly string[] {
  const others = flags.filter((flag) => flag !== 'timeout')
  if (timeout !== undefined && others.length === 0) return []
  const all = timeout === undefined ? flags : [...others, 'timeout']
  return [...all].sort((left, right) => FLAG_ORDER.indexOf(left) - FLAG_ORDER.indexOf(right))
}

function withoutTimeout(element: Element, { timeout }: NamedSet): Element {
  if (element.timeout === undefined || element.timeout !== timeout) return element
  const { timeout: _, ...rest } = element
  return rest
}

function toListedElement(element: Element, types: readonly string[]): Element {
  const key = toListedKey(element.key, types)
  return key === element.key ? element : { ...element, key }
}

/** Sorts elements. If a key has one component and is a range or prefix, it is sorted by its first value. */
function inElementOrder(
  elements: readonly Element[],
  types: readonly string[],
  version: NftVersion,
): readonly Element[] {
  const [type = ''] = types
  if (types.length !== 1 || !elements.some(({ key }) => isIntervalKey(key))) {
    return sortAsListed(elements, ({ key }) => key, types, version)
  }
  const ranked = elements.map((element) => ({ element, interval: parseInterval(element.key, type) }))
  if (ranked.some(({ interval }) => interval === undefined)) return elements
  const firstOf = (item: (typeof ranked)[number]) => (item.interval as Interval).first
  return ranked.sort((left, right) => compareValues(firstOf(left), firstOf(right))).map(({ element }) => element)
}

function toListedRule(rule: Rule, family: Table['family'], version: NftVersion): Rule {
  const statements = mapChanged(rule.statements, (statement) => toListedStatement(statement, family, version))
  return statements === rule.statements ? rule : { ...rule, statements }
}

const DEFAULT_REJECTS: Readonly<Partial<Record<Table['family'], string>>> = {
  ip: 'icmp port-unreachable',
  ip6: 'icmpv6 port-unreachable',
  inet: 'icmpx port-unreachable',
  bridge: 'icmpx port-unreachable',
}

function toListedStatement(statement: Statement, family: Table['family'], version: NftVersion): Statement {
  switch (statement.kind) {
    case 'match': {
      const right = toListedOperand(statement.right, typesOfSelectors(statement.left), version)
      return right === statement.right ? statement : { ...statement, right }
    }
    case 'vmap':
      return { ...statement, map: toListedMap(statement.map, typesOfSelectors(statement.key), version) }
    case 'dnat': {
      const { to } = statement
      if (to.kind === 'address') return statement
      const elements = sortAsListed(to.elements, ({ key }) => key, typesOfSelectors(to.key), version)
      return { ...statement, to: { ...to, elements } }
    }
    case 'reject':
      return statement.with === DEFAULT_REJECTS[family] ? { kind: 'reject' } : statement
    default:
      return statement
  }
}

function toListedOperand(operand: Operand, types: readonly string[], version: NftVersion): Operand {
  if (operand.kind === 'named') return operand
  if (operand.kind === 'value') {
    const value = toListedKey(operand.value, types)
    return value === operand.value ? operand : { ...operand, value }
  }
  const [only] = operand.keys
  if (operand.keys.length === 1 && only !== undefined && types.length === 1) {
    return { kind: 'value', value: toListedKey(only, types) }
  }
  return { kind: 'anonymous', keys: toListedKeys(operand.keys, types, version) }
}

function toListedKeys(keys: readonly string[], types: readonly string[], version: NftVersion): readonly string[] {
  const [type = ''] = types
  if (types.length === 1 && keys.some(isIntervalKey)) {
    const intervals = keys.map((key) => parseInterval(key, type))
    if (intervals.some((interval) => interval === undefined)) return keys
    const known = intervals.filter((interval) => interval !== undefined)
    return mergeIntervals(known).map((interval) => printInterval(interval, type))
  }
  const listed = [...new Set(keys.map((key) => toListedKey(key, types)))]
  return sortAsListed(listed, (key) => key, types, version)
}

function toListedMap(map: MapOperand, types: readonly string[], version: NftVersion): MapOperand {
  if (map.kind === 'named') return map
  const elements = map.elements.map((element) => toListedElement(element, types))
  return { kind: 'anonymous', elements: inElementOrder(elements, types, version) }
}

/** Converts one key to nft output notation: prefixes without host bits, and individual values without a prefix length. */
function toListedKey(key: string, types: readonly string[]): string {
  if (!isIntervalKey(key) && !isRespelled(key, types)) return key
  const parts = types.length === 1 ? [key] : key.split(' . ')
  if (parts.length !== types.length) return key
  return parts.map((part, index) => toListedPart(part, elementAt(types, index))).join(' . ')
}

/**
 * Reports whether nft may list a key in another notation, because the key contains an IPv6 address or several flags.
 * Most keys contain neither.
 */
function isRespelled(key: string, types: readonly string[]): boolean {
  return key.includes(',') || (key.includes(':') && types.includes('ipv6_addr'))
}

function toListedPart(part: string, type: string): string {
  const flags = part.split(',')
  if (flags.length > 1) return sortBits(flags, type)
  const interval = parseInterval(part, type)
  return interval === undefined ? part : printInterval(interval, type)
}

function sortBits(flags: readonly string[], type: string): string {
  const bits = flags.map((flag) => ({ flag, bit: flagBitOf(flag, type) ?? Number.NaN }))
  if (bits.some(({ bit }) => Number.isNaN(bit))) return flags.join(',')
  return bits
    .sort((left, right) => left.bit - right.bit)
    .map(({ flag }) => flag)
    .join(',')
}
