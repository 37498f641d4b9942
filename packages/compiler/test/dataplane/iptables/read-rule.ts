import type { IpFamily } from '@kube-rules/types'
import { parseIptables } from '../../../../analyzer/src/dataplane/iptables/parse/parse.js'
import type { IptablesState, Rule } from '../../../src/dataplane/iptables/ast.js'
import { rulesIn } from '../../../src/dataplane/iptables/lazy-block.js'

/** The state a text says; throws if it cannot be read. */
export function readState(text: string, family: IpFamily = 'IPv4'): IptablesState {
  const result = parseIptables(text, family)
  if (!result.ok) throw new Error(result.problems.map(({ message, excerpt }) => `${message}\n${excerpt}`).join('\n'))
  return result.value
}

/** The rule that a text without `-A CHAIN` says in chain T of a table that has a chain KUBE-TARGET. */
export function readRule(text: string, family: IpFamily = 'IPv4'): Rule {
  const state = readState(`*nat\n:KUBE-TARGET - [0:0]\n:T - [0:0]\n-A T ${text}\nCOMMIT\n`, family)
  const rule = state.tables[0]?.blocks.flatMap(rulesIn)[0]
  if (rule === undefined) throw new Error(`no rule in ${text}`)
  return rule
}
