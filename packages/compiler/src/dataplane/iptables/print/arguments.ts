import type { IpFamily } from '@kube-rules/types'
import { invariant } from '../../../internal/invariant.js'
import type { Rule, TableName } from '../ast.js'
import { tokenize } from '../parse/tokenizer.js'
import { unquote } from '../quote.js'
import { printRule } from './print.js'

/** What iptables is asked to do with one rule: `-C` checks whether it is there, `-I` puts it first. */
export type RuleCommand = '-A' | '-C' | '-D' | '-I'

/** The arguments of one run of iptables or ip6tables: never to be put into a shell. */
export function ruleArguments(command: RuleCommand, rule: Rule, table: TableName, family: IpFamily): readonly string[] {
  const text = printRule(rule, 'restore', family)
  const tokens = tokenize(text, 0, text.length)
  invariant(tokens.ok, `${JSON.stringify(text)} has an open quote`)
  const [, chain = '', ...words] = tokens.words.map(unquote)
  return ['-w', '-t', table, command, chain, ...words]
}
