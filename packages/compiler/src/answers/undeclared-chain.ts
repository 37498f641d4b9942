import type { Table } from '../dataplane/iptables/ast.js'
import { isBuiltInChain } from '../dataplane/iptables/built-in-chains.js'
import { jumpDestination, ownedChainsOf } from '../dataplane/iptables/chains.js'
import type { Answer } from './answer.js'
import { type NodeAnswerFacts, saveText } from './node-facts.js'
import { serviceText } from './packet-facts.js'
import { restartText } from './remedies.js'

/** A rule of a Service that jumps to a chain which its table does not declare: no kernel has that, so it is a text that one refused. */
export function undeclaredChainAnswer(facts: NodeAnswerFacts): Answer | undefined {
  for (const table of facts.live.iptables?.tables ?? []) {
    const answer = answerOfTable(table, facts)
    if (answer !== undefined) return answer
  }
  return undefined
}

function answerOfTable(table: Table, facts: NodeAnswerFacts): Answer | undefined {
  const declared = new Set(table.blocks.flatMap(({ chains }) => chains))
  for (const rules of ownedChainsOf(table).values()) {
    for (const { rule, owner } of rules) {
      const chain = jumpDestination(rule)
      if (chain === undefined || declared.has(chain) || isBuiltInChain(table.name, chain)) continue
      const service = facts.servicePorts.get(owner)
      if (service === undefined) continue
      const text = saveText(rule, facts.live)
      const object = serviceText(service.id)
      return {
        code: 'undeclaredChain',
        happens: `iptables-restore refuses all of ${table.name}: ${chain}, to which a rule jumps, is declared nowhere`,
        why: `the rule is of ${object} (rule in ${table.name}: ${text})`,
        todo: `${restartText(facts.plan)}, which then writes every chain; as long as the text is refused, no Service of the node is updated`,
        object,
        rule: text,
      }
    }
  }
  return undefined
}
