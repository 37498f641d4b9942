import { hash16 } from '@kube-rules/compiler/internal/internal/hash'
import { enableMemo } from '@kube-rules/compiler/internal/internal/memo'

/** An unknown condition, with the value that a path assumes. */
export interface Assumption {
  readonly condition: string
  readonly value: boolean
}

/**
 * The conditions of rules that cannot be evaluated, shared by all packets that are traced through one state. With the
 * table, each condition is numbered and formatted only once.
 */
export interface ConditionTable {
  readonly numbers: Map<string, number>
  /**
   * The texts of joined conditions (one of several cases applies). The key lists the numbers of the conditions of each
   * case.
   */
  readonly joined: Map<string, string>
  /** The rules of each joined condition, by the text of the condition: the number of rules, and the first rules. */
  readonly rules: Map<string, { readonly count: number; readonly first: readonly string[] }>
}

export function createConditionTable(): ConditionTable {
  return enableMemo({ numbers: new Map(), joined: new Map(), rules: new Map() })
}

/** Returns a number for a condition, unique in the table. */
export function assignConditionNumber({ numbers }: ConditionTable, condition: string): number {
  const existing = numbers.get(condition)
  if (existing !== undefined) return existing
  numbers.set(condition, numbers.size)
  return numbers.size - 1
}

/**
 * Returns the condition that one of several cases applies. A case applies if all its assumptions are true. The text
 * ends with a digest of the cases, so that two conditions are the same only if their cases are the same.
 */
export function joinAssumptionCases(cases: readonly (readonly Assumption[])[], table: ConditionTable): string {
  const key = cases
    .map((each) => each.map(({ condition, value }) => `${value} ${assignConditionNumber(table, condition)}`).join())
    .join('|')
  const existing = table.joined.get(key)
  if (existing !== undefined) return existing
  const condition = format(cases, table)
  table.joined.set(key, condition)
  return condition
}

function format(cases: readonly (readonly Assumption[])[], table: ConditionTable): string {
  const matched = new Set(cases.flatMap((each) => each.flatMap(({ condition, value }) => (value ? condition : []))))
  return joinRuleConditions([...matched], JSON.stringify(cases), table)
}

/** The maximum number of rules that a condition lists. Further rules are only counted. */
const MAX_RULES = 3

/**
 * Combines conditions of individual rules into the condition that one of the rules applies. The text contains a digest
 * of `meaning`, so that conditions with different meanings differ.
 */
export function joinRuleConditions(conditions: readonly string[], meaning: string, { rules }: ConditionTable): string {
  const parts = conditions.map((condition) => rules.get(condition) ?? { count: 1, first: [ruleIn(condition)] })
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const first = parts.flatMap((part) => part.first).slice(0, MAX_RULES)
  const more = count > first.length ? [`${count - first.length} more`] : []
  const text = `one of ${count} rules that cannot be evaluated applies: ${[...first, ...more].join('; ')} (${hash16(meaning)})`
  rules.set(text, { count, first })
  return text
}

const RULE_MATCHES = / matches(?: again)*$/

function ruleIn(condition: string): string {
  return condition.replace(RULE_MATCHES, '')
}

/** Formats the condition that a rule matches. */
export function conditionOfRule(rule: string): string {
  return `${rule} matches`
}

/** Reports whether a condition states that a rule matches. */
export function isRuleCondition(condition: string): boolean {
  return RULE_MATCHES.test(condition)
}

/**
 * Returns a condition text that differs from those of the assumptions so far, by appending `again` if necessary. A rule
 * that a packet reaches a second time needs its own condition, because the packet or a counter may have changed.
 */
export function toDistinctCondition(what: string, assumptions: readonly Assumption[]): string {
  return assumptions.some(({ condition }) => condition === what)
    ? toDistinctCondition(`${what} again`, assumptions)
    : what
}

/** Reports whether the assumptions contain this assumption. */
export function includesAssumption(assumptions: readonly Assumption[], { condition, value }: Assumption): boolean {
  return assumptions.some((each) => each.condition === condition && each.value === value)
}
