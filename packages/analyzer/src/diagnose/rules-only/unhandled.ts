import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { isAboutMissingContent } from '../../program/missing-content.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis } from '../diagnosis.js'
import { isServiceChain } from '../emptied-table.js'
import { findReplacements } from '../find-replacements.js'
import { userDefinedChainsOf } from '../node-diagnosis-context.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { prependCondition } from '../remedies.js'
import { diagnoseMissingJump } from './missing-jump.js'
import { formatPacketsAtStart, WHOLE_DUMP_TEXT } from './words.js'

/** Diagnoses a packet that no rule of kube-proxy handles, from complete rules alone. */
export function diagnoseUnhandled(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { outcome, assumptions } = path
  if (outcome.kind !== 'unmatched' || assumptions.some(({ condition }) => isAboutMissingContent(condition)))
    return undefined
  if (!hasRulesOfKubeProxy(facts)) return isNeverHandled(facts) ? noRulesDiagnosis(facts) : undefined
  return diagnoseMissingJump(path, facts)
}

/** Reports whether no rule handles the packet, whatever the unknown conditions are. */
export function isNeverHandled({ paths }: PacketDiagnosisContext): boolean {
  return paths.every(({ outcome }) => outcome.kind === 'unmatched')
}

/** Reports whether the dump has a chain, table, set or virtual server of kube-proxy in any mode. */
export function hasRulesOfKubeProxy({ state: { iptables, nftables, ipvs, ipset } }: PacketDiagnosisContext): boolean {
  const chains = iptables?.tables.flatMap(userDefinedChainsOf) ?? []
  const sets = ipset?.sets ?? []
  return (
    chains.some(isServiceChain) ||
    (nftables?.tables ?? []).some(isKubeProxyTable) ||
    sets.some(({ name }) => name.startsWith('KUBE-')) ||
    (ipvs?.virtualServers ?? []).length > 0
  )
}

function noRulesDiagnosis(facts: PacketDiagnosisContext): Diagnosis {
  const [other] = findReplacements(facts.state.iptables)
  const unless = other === undefined ? '' : `, and ${other.name} may serve Services in its place`
  return {
    code: 'noRules',
    summary: `${formatPacketsAtStart(facts)} are not handled by the rules in the dump: it has no rules of kube-proxy for Services${unless}`,
    cause:
      other === undefined
        ? 'kube-proxy does not run on the node, cannot write rules, or uses a tool, and the dump does not contain its output'
        : `if ${other.name} replaces kube-proxy, this is normal, and a dump of rules does not show the outcome; if not, kube-proxy does not run there, or cannot write rules`,
    steps: [
      ...(other?.replacement === undefined ? [] : [other.replacement]),
      {
        text: prependCondition(other === undefined ? '' : 'If kube-proxy serves Services', WHOLE_DUMP_TEXT),
      },
      {
        text: 'Check with kubectl whether kube-proxy is running; in kubeadm clusters, its pods have the label k8s-app=kube-proxy',
        command: 'kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide',
      },
    ],
    object: 'kube-proxy',
    rule: 'nat/KUBE-SERVICES',
    ruleStatus: 'not in the dump',
  }
}
