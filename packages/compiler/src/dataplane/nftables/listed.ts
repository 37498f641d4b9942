import type { Element, MapOperand, NamedSet, Operand, Rule, Statement, Table } from './ast.js'
import { type Interval, intervalOf, isInterval, mergeIntervals, printInterval } from './keys/intervals.js'
import { flagBit, inPrintedOrder } from './keys/key-order.js'
import { keyTypes } from './keys/key-types.js'
import { typesOf } from './selectors.js'
import type { NftVersion } from './version.js'

/** The size that the kernel gives to a set that rules fill. */
const DYNAMIC_SIZE = 65_535

/**
 * The table as nft prints it once the kernel has it: elements in order, ranges of anonymous sets sorted and merged, sets of
 * one element without braces, `/32` gone, `size 65535` of sets that rules fill there, no time of an element that is the one of its set.
 * A table that was read from a listing is that already: as commands, it would lose more braces.
 */
export function asListed(table: Table, version: NftVersion): Table {
  const filled = filledSets(table)
  return {
    ...table,
    chains: table.chains.map((chain) => ({
      ...chain,
      rules: chain.rules.map((rule) => listedRule(rule, table.family, version)),
    })),
    sets: table.sets.map((set) => listedSet(set, filled.has(set.name), version)),
  }
}

/** The sets that rules fill. */
function filledSets({ chains }: Table): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { rules } of chains) {
    for (const { statements } of rules) {
      for (const statement of statements) if (statement.kind === 'setUpdate') names.add(statement.set)
    }
  }
  return names
}

function listedSet(set: NamedSet, isFilled: boolean, version: NftVersion): NamedSet {
  const types = keyTypes(set)
  const { flags: _, ...rest } = set
  const flags = listedFlags(set)
  const isSized = set.size !== undefined || !isFilled
  const elements = set.elements.map((element) => listedElement(withoutTimeout(element, set), types))
  return {
    ...rest,
    ...(flags.length > 0 && { flags }),
    ...(!isSized && { size: DYNAMIC_SIZE }),
    elements: inElementOrder(elements, types, version),
  }
}

/** As nft prints flags, whatever the order in which they were written. */
const FLAG_ORDER = ['dynamic', 'constant', 'interval', 'timeout']

/** A time for all elements says that there are times; alone, the flag goes without saying then. */
function listedFlags({ flags = [], timeout }: NamedSet): readonly string[] {
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

function listedElement(element: Element, types: readonly string[]): Element {
  const key = listedKey(element.key, types)
  return key === element.key ? element : { ...element, key }
}

/** Elements with single keys that are ranges or prefixes stand in the order of their beginnings. */
function inElementOrder(
  elements: readonly Element[],
  types: readonly string[],
  version: NftVersion,
): readonly Element[] {
  const [type = ''] = types
  if (types.length !== 1 || !elements.some(({ key }) => isInterval(key))) {
    return inPrintedOrder(elements, ({ key }) => key, types, version)
  }
  const ranked = elements.map((element) => ({ element, interval: intervalOf(element.key, type) }))
  if (ranked.some(({ interval }) => interval === undefined)) return elements
  const firstOf = (item: (typeof ranked)[number]) => (item.interval as Interval).first
  return ranked
    .sort((left, right) => (firstOf(left) < firstOf(right) ? -1 : firstOf(left) > firstOf(right) ? 1 : 0))
    .map(({ element }) => element)
}

function listedRule(rule: Rule, family: Table['family'], version: NftVersion): Rule {
  return { ...rule, statements: rule.statements.map((statement) => listedStatement(statement, family, version)) }
}

const DEFAULT_REJECTS: Readonly<Partial<Record<Table['family'], string>>> = {
  ip: 'icmp port-unreachable',
  ip6: 'icmpv6 port-unreachable',
  inet: 'icmpx port-unreachable',
  bridge: 'icmpx port-unreachable',
}

function listedStatement(statement: Statement, family: Table['family'], version: NftVersion): Statement {
  switch (statement.kind) {
    case 'match':
      return { ...statement, right: listedOperand(statement.right, typesOf(statement.left), version) }
    case 'vmap':
      return { ...statement, map: listedMap(statement.map, typesOf(statement.key), version) }
    case 'dnat': {
      const { to } = statement
      if (to.kind === 'address') return statement
      const elements = inPrintedOrder(to.elements, ({ key }) => key, typesOf(to.key), version)
      return { ...statement, to: { ...to, elements } }
    }
    case 'reject':
      return statement.with === DEFAULT_REJECTS[family] ? { kind: 'reject' } : statement
    default:
      return statement
  }
}

function listedOperand(operand: Operand, types: readonly string[], version: NftVersion): Operand {
  if (operand.kind === 'named') return operand
  if (operand.kind === 'value') return { ...operand, value: listedKey(operand.value, types) }
  const [only] = operand.keys
  if (operand.keys.length === 1 && only !== undefined && types.length === 1) {
    return { kind: 'value', value: listedKey(only, types) }
  }
  return { kind: 'anonymous', keys: listedKeys(operand.keys, types, version) }
}

function listedKeys(keys: readonly string[], types: readonly string[], version: NftVersion): readonly string[] {
  const [type = ''] = types
  if (types.length === 1 && keys.some(isInterval)) {
    const intervals = keys.map((key) => intervalOf(key, type))
    if (intervals.some((interval) => interval === undefined)) return keys
    const known = intervals.filter((interval) => interval !== undefined)
    return mergeIntervals(known).map((interval) => printInterval(interval, type))
  }
  const listed = [...new Set(keys.map((key) => listedKey(key, types)))]
  return inPrintedOrder(listed, (key) => key, types, version)
}

function listedMap(map: MapOperand, types: readonly string[], version: NftVersion): MapOperand {
  if (map.kind === 'named') return map
  const elements = map.elements.map((element) => listedElement(element, types))
  return { kind: 'anonymous', elements: inElementOrder(elements, types, version) }
}

/** One key as nft prints it: prefixes without bits behind them, and none where a single value is meant. */
function listedKey(key: string, types: readonly string[]): string {
  if (!isInterval(key) && !isRespelled(key, types)) return key
  const parts = types.length === 1 ? [key] : key.split(' . ')
  if (parts.length !== types.length) return key
  return parts.map((part, index) => listedPart(part, types[index] as string)).join(' . ')
}

/** Whether an address may have another spelling, or flags another order: in most keys neither. */
function isRespelled(key: string, types: readonly string[]): boolean {
  return key.includes(',') || (key.includes(':') && types.includes('ipv6_addr'))
}

function listedPart(part: string, type: string): string {
  const flags = part.split(',')
  if (flags.length > 1) return sortBits(flags, type)
  const interval = intervalOf(part, type)
  return interval === undefined ? part : printInterval(interval, type)
}

function sortBits(flags: readonly string[], type: string): string {
  if (flags.some((flag) => flagBit(flag, type) === undefined)) return flags.join(',')
  return [...flags].sort((left, right) => (flagBit(left, type) as number) - (flagBit(right, type) as number)).join(',')
}
