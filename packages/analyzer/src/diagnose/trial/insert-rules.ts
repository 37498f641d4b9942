import type { Rule, Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/tokenizer'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import type { IpFamily } from '@kube-rules/types'
import { parseRule } from '../../dataplane/iptables/parse/parse-rule.js'
import type { StepChange } from './step-change.js'

/** An inserted rule of a built-in chain. */
export type InsertedRule = Extract<StepChange, { readonly kind: 'insertRule' }>

/** Returns the state with one more rule in a built-in chain. Undefined if the state does not have its table. */
export function insertRule(state: NodeState, change: InsertedRule): NodeState | undefined {
  const { iptables, family } = state
  const rules = readRules(change, family)
  if (rules.length === 0 || iptables?.tables.some(({ name }) => name === change.table) !== true) return undefined
  const tables = iptables.tables.map((table) =>
    table.name === change.table ? { ...table, jumps: insertAt(table, rules, change.position) } : table,
  )
  return { ...state, iptables: { ...iptables, tables } }
}

/** Reads the rule. As in iptables, a rule for several addresses becomes one rule for each of them. */
function readRules({ chain, rule }: InsertedRule, family: IpFamily): readonly Rule[] {
  const tokens = tokenize(rule, 0, rule.length)
  if (!tokens.ok) return []
  const words = tokens.words.slice(2)
  const index = words.indexOf('-d') + 1
  const addresses = index === 0 ? [''] : (words[index]?.split(',') ?? [])
  return addresses.flatMap((address) => {
    const raw = words.map((word, at) => (at === index && index > 0 ? address : word))
    const parsed = parseRule(chain, { raw, at: 0 }, { family, chains: new Set<string>() })
    return parsed.ok ? parsed.rule : []
  })
}

/** Inserts rules before the rule at a position of their chain, or after the last rule of the chain. */
function insertAt({ jumps }: Table, rules: readonly Rule[], position = Number.POSITIVE_INFINITY): readonly Rule[] {
  const places = jumps.flatMap(({ chain }, index) => (chain === rules[0]?.chain ? index : []))
  const index = places[position - 1] ?? (places.at(-1) ?? jumps.length - 1) + 1
  return [...jumps.slice(0, index), ...rules, ...jumps.slice(index)]
}
