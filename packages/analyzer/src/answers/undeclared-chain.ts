import type { Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { jumpDestination, ownedChainsOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { Answer } from './answer.js'
import { type NodeAnswerFacts, saveText } from './node-facts.js'
import { onNode, serviceText, standingText } from './packet-facts.js'
import { restartStep } from './remedies.js'

/**
 * Diagnoses a Service rule with a jump to a chain that its table does not declare. No kernel contains such a rule, so
 * the text failed to load.
 */
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
        happens: onNode(
          facts.plan,
          `no Service is updated as long as kube-proxy writes this text: iptables-restore rejects the whole table ${table.name}`,
        ),
        why: `a rule of ${object} jumps to ${chain}, which the text does not declare`,
        // The script would repair the text, but not the node.
        steps: [restartStep(facts.plan)],
        object,
        rule: text,
        ruleIs: standingText(table.name),
      }
    }
  }
  return undefined
}
