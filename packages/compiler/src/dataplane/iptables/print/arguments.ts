import type { IpFamily } from '@kube-rules/types'
import { invariant } from '../../../internal/invariant.js'
import type { Rule, TableName } from '../ast.js'
import { unquote } from '../quote.js'
import { tokenize } from '../tokenizer.js'
import { LOCK_WAIT_ARGUMENTS } from '../tools.js'
import { printRule } from './print.js'

/** The operation on one rule: append (`-A`), check (`-C`), delete (`-D`), or insert as the first rule (`-I`). */
export type RuleOperation = '-A' | '-C' | '-D' | '-I'

/** Returns the arguments of one iptables or ip6tables command. The arguments must not be passed through a shell. */
export function createRuleArguments(
  command: RuleOperation,
  rule: Rule,
  table: TableName,
  family: IpFamily,
): readonly string[] {
  const text = printRule(rule, 'restore', family)
  const tokens = tokenize(text, 0, text.length)
  invariant(tokens.ok, `${JSON.stringify(text)} has an open quote`)
  const [, chain = '', ...words] = tokens.words.map(unquote)
  return [...LOCK_WAIT_ARGUMENTS, '-t', table, command, chain, ...words]
}
