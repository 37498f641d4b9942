import type { Target } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { printRule } from '@kube-rules/compiler/internal/dataplane/iptables/print/print'
import { tokenize } from '@kube-rules/compiler/internal/dataplane/iptables/tokenizer'
import type { IpFamily } from '@kube-rules/types'
import type { RuleEffect } from '../netfilter/rule-effect.js'
import { parseRule } from './parse/parse-rule.js'
import { readChainHeading, readListingColumns, readListingRow } from './pasted/listing-row.js'
import { toRuleArguments } from './pasted/listing-words.js'

/**
 * Returns the index of the first line that contains a rule in iptables-save format (`-A KUBE-SERVICES …`), in any
 * output format. For the id of a chain (`nat/KUBE-SERVICES`), finds the line that creates the chain. Undefined if no
 * line is found.
 */
export function findLineOfRule(rule: string, lines: readonly string[]): number | undefined {
  const index = rule.startsWith('-A ') ? ruleIndex(rule, lines) : chainIndex(rule, lines)
  return index < 0 ? undefined : index
}

function ruleIndex(rule: string, lines: readonly string[]): number {
  const start = rule.replace(/^(-A \S+).*$/s, '$1')
  const chain = start.slice('-A '.length)
  // A line with another target needs no parsing.
  const [, target = ''] = /^.* -[jg] (\S+)/s.exec(rule) ?? []
  const isRule = (line: string) =>
    line === rule || (line.includes(target) && formats(chain, wordsOfLine(line)).includes(rule))
  let listed: Listed | undefined
  return lines.findIndex((line) => {
    if (line.startsWith('-')) return line.startsWith(`${start} `) && isRule(line)
    const heading = readChainHeading(line)
    if (heading !== undefined) {
      listed = { chain: heading.chain }
      return false
    }
    const columns = readListingColumns(line)
    if (columns !== undefined && listed !== undefined) {
      listed = { ...listed, columns }
      return false
    }
    const row = listed?.chain === chain ? readListingRow(line, listed.columns) : undefined
    return row !== undefined && formats(chain, toRuleArguments(row)).includes(rule)
  })
}

interface Listed {
  readonly chain: string
  readonly columns?: ReturnType<typeof readListingColumns>
}

function wordsOfLine(line: string): readonly string[] {
  const tokens = tokenize(line, 0, line.length)
  return tokens.ok ? tokens.words.slice(2) : []
}

/**
 * Returns the rule in iptables-save format for both families, because a rule without addresses may belong to either.
 */
function formats(chain: string, words: readonly string[]): readonly string[] {
  return (['IPv4', 'IPv6'] satisfies IpFamily[]).flatMap((family) => {
    const parsed = parseRule(chain, { raw: words, at: 0 }, { family, chains: new Set<string>() })
    return parsed.ok ? printRule(parsed.rule, 'save', family) : []
  })
}

function chainIndex(id: string, lines: readonly string[]): number {
  const [table, chain] = id.split('/')
  if (chain === undefined) return -1
  let current: string | undefined
  return lines.findIndex((line) => {
    current = /^\*(\w+)/.exec(line)?.[1] ?? current
    if (current !== undefined && current !== table) return false
    return line.startsWith(`:${chain} `) || line === `-N ${chain}` || readChainHeading(line)?.chain === chain
  })
}

/** Returns the effect on packets of a rule in iptables-save format (`-A KUBE-SERVICES …`). */
export function parseRuleEffect(line: string): RuleEffect {
  const target = targetOf(line)
  return {
    refuses: target?.kind === 'reject' || target?.kind === 'drop',
    sendsTo: target?.kind === 'dnat' ? [target.destination] : [],
    acceptsNoConnections: false,
    rule: line,
  }
}

/** Returns the target of a line; undefined if it is not a rule. */
function targetOf(line: string): Target | undefined {
  const tokens = tokenize(line, 0, line.length)
  const [append, chain, ...words] = tokens.ok ? tokens.words : []
  if (append !== '-A' || chain === undefined) return undefined
  // The family has no effect, because only the target is used.
  const parsed = parseRule(chain, { raw: words, at: 0 }, { family: 'IPv4', chains: new Set<string>() })
  return parsed.ok ? parsed.rule.target : undefined
}
