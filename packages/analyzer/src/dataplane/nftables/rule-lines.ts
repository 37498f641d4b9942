import type { DnatStatement, Statement, Verdict } from '@kube-rules/compiler/internal/dataplane/nftables/ast'
import { splitConcatenation } from '@kube-rules/compiler/internal/dataplane/nftables/keys/key-components'
import type { NftablesState } from '@kube-rules/compiler/internal/dataplane/nftables/state'
import { joinHostPort } from '@kube-rules/types/internal/ip'
import type { RuleEffect } from '../netfilter/rule-effect.js'
import { parseElements } from './parse/parse-element.js'
import { parseRule } from './parse/parse-rule.js'
import type { NftablesParser } from './parse/problem.js'

/**
 * Returns the index of the only line that contains a rule, opens its table (`table ip kube-proxy`), or contains its
 * element (`… vmap { 10.96.0.1 . tcp . 80 : drop }`). Many chains have identical rules, so several lines may match.
 * Undefined if no line or several lines match.
 */
export function findLineOfRule(rule: string, lines: readonly string[]): number | undefined {
  const element = elementOf(rule)
  const own = onlyIndex(lines, (line) => line === rule || line === `${rule} {`)
  return own !== undefined || element === undefined ? own : onlyIndex(lines, (line) => hasElement(line, element))
}

/** Returns the text between the braces at the end of a rule. */
function elementOf(rule: string): string | undefined {
  const start = rule.indexOf('{ ') + '{ '.length
  const end = rule.length - ' }'.length
  return start >= '{ '.length && start <= end && rule.endsWith(' }') ? rule.slice(start, end) : undefined
}

function hasElement(line: string, element: string): boolean {
  return line.replace(/^elements = \{ /, '').replace(/(?:,| \})$/, '') === element
}

function onlyIndex(lines: readonly string[], fits: (line: string) => boolean): number | undefined {
  const first = lines.findIndex(fits)
  return first < 0 || lines.slice(first + 1).some(fits) ? undefined : first
}

/**
 * Returns the effect of a rule on packets, or of a map element on packets that match its key. An element is printed
 * after the name of its map (`no-endpoint-services 10.96.0.1 . tcp . 80 : drop`). `state` provides the chains for
 * jumps.
 */
export function parseRuleEffect(line: string, state: NftablesState | undefined): RuleEffect {
  const element = verdictOfElement(line)
  const statements = element === undefined ? statementsOf(line) : [element]
  return {
    refuses: statements.some((statement) => rejectsWhenReached(statement, state)),
    sendsTo: statements.flatMap((statement) => (statement.kind === 'dnat' ? destinationsOf(statement) : [])),
    acceptsNoConnections: false,
    rule: element === undefined ? line : line.slice(line.indexOf(' ') + 1),
  }
}

function verdictOfElement(line: string): Verdict | undefined {
  const name = /^\S+ /.exec(line)?.[0] ?? ''
  // The types of the key are not needed, because all words before the colon belong to the key.
  const elements = parseElements({ source: `{ ${line.slice(name.length)} }`, at: 0 }, { key: [], data: [] })
  return elements?.length === 1 ? elements[0]?.verdict : undefined
}

function statementsOf(line: string): readonly Statement[] {
  const reader: NftablesParser = { source: line, at: 0, problems: [] }
  return parseRule(reader)?.statements ?? []
}

/**
 * Reports whether a statement rejects or drops packets. A `goto` also counts if every rule of its target chain rejects
 * or drops packets.
 */
function rejectsWhenReached(statement: Statement, state: NftablesState | undefined): boolean {
  if (statement.kind === 'drop' || statement.kind === 'reject') return true
  if (statement.kind !== 'goto') return false
  const chains = state?.tables.flatMap((table) => table.chains.filter(({ name }) => name === statement.chain)) ?? []
  const rules = chains.flatMap((chain) => chain.rules)
  return rules.length > 0 && rules.every((rule) => rule.statements.some((each) => rejectsWhenReached(each, undefined)))
}

function destinationsOf({ to }: DnatStatement): readonly string[] {
  if (to.kind === 'address') return to.port === undefined ? [to.address] : [joinHostPort(to.address, to.port)]
  return to.elements.flatMap(({ data = '' }) => {
    const [address = '', port] = splitConcatenation(data)
    return port === undefined ? [address] : [joinHostPort(address, Number(port))]
  })
}
