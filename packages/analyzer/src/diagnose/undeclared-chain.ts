import type { Table } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { isBuiltInChain } from '@kube-rules/compiler/internal/dataplane/iptables/built-in-chains'
import { chainsWithOwnersOf, jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import type { Diagnosis } from './diagnosis.js'
import { formatRule, type NodeDiagnosisContext } from './node-diagnosis-context.js'
import { formatRuleLocation, formatService, prefixWithNode } from './packet-diagnosis-context.js'
import { createRestartStep } from './remedies.js'

/**
 * Diagnoses a Service rule with a jump to a chain that its table does not declare. No kernel contains such a rule, so
 * the input is text that iptables-restore rejects. A partial dump may not contain the declaration.
 */
export function diagnoseUndeclaredChain(facts: NodeDiagnosisContext): Diagnosis | undefined {
  if (facts.live.coverage !== undefined) return undefined
  for (const table of facts.live.iptables?.tables ?? []) {
    const diagnosis = diagnosisOfTable(table, facts)
    if (diagnosis !== undefined) return diagnosis
  }
  return undefined
}

function diagnosisOfTable(table: Table, facts: NodeDiagnosisContext): Diagnosis | undefined {
  const declared = new Set(table.blocks.flatMap(({ chains }) => chains))
  for (const rules of chainsWithOwnersOf(table).values()) {
    for (const { rule, owner } of rules) {
      const chain = jumpTargetOf(rule)
      if (chain === undefined || declared.has(chain) || isBuiltInChain(table.name, chain)) continue
      const service = facts.servicePorts.get(owner)
      if (service === undefined) continue
      const text = formatRule(rule, facts.live)
      const object = formatService(service.id)
      return {
        code: 'undeclaredChain',
        summary: prefixWithNode(
          facts.plan,
          `no Service is updated as long as kube-proxy writes this text: iptables-restore rejects the whole table ${table.name}`,
        ),
        cause: `a rule of ${object} jumps to ${chain}, which the text does not declare`,
        // No script step here: the script would repair the text, but not the node.
        steps: [createRestartStep(facts.plan)],
        object,
        rule: text,
        ruleStatus: formatRuleLocation(table.name),
      }
    }
  }
  return undefined
}
