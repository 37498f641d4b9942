import type { IpFamily } from '@kube-rules/types'
import { parseIptables } from '../../../../analyzer/src/dataplane/iptables/parse/parse.js'
import type { IptablesState, Rule } from '../../../src/dataplane/iptables/ast.js'
import { getBlockRules } from '../../../src/dataplane/iptables/lazy-block.js'

/**
 * Parses a state.
 *
 * @throws if the text is invalid.
 */
export function readState(text: string, family: IpFamily = 'IPv4'): IptablesState {
  const result = parseIptables(text, family)
  if (!result.ok) throw new Error(result.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`).join('\n'))
  return result.value
}

/** Parses a rule without `-A CHAIN`. Its chain is T, in a table that has a chain KUBE-TARGET. */
export function readRule(text: string, family: IpFamily = 'IPv4'): Rule {
  const state = readState(`*nat\n:KUBE-TARGET - [0:0]\n:T - [0:0]\n-A T ${text}\nCOMMIT\n`, family)
  const rule = state.tables[0]?.blocks.flatMap(getBlockRules)[0]
  if (rule === undefined) throw new Error(`no rule in ${text}`)
  return rule
}
