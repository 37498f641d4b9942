import { isKubeProxyTable } from '@kube-rules/compiler/internal/targets/nftables/static-names'
import { formatList } from '../../explain/format-list.js'
import { isAboutMissingContent } from '../../program/missing-content.js'
import type { TracePath } from '../../trace/trace-paths.js'
import type { Diagnosis } from '../diagnosis.js'
import { isServiceChain } from '../emptied-table.js'
import { findReplacements } from '../find-replacements.js'
import { userDefinedChainsOf } from '../node-diagnosis-context.js'
import type { PacketDiagnosisContext } from '../packet-diagnosis-context.js'
import { prependCondition } from '../remedies.js'
import { diagnoseMissingJump } from './missing-jump.js'
import { formatPacketsAtStart, NODE_PORTS, RESTART_TEXT, WHOLE_DUMP_TEXT } from './words.js'

/** Diagnoses a packet that no rule of kube-proxy handles, from complete rules alone. */
export function diagnoseUnhandled(path: TracePath, facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { outcome, assumptions } = path
  if (outcome.kind !== 'unmatched' || assumptions.some(({ condition }) => isAboutMissingContent(condition)))
    return undefined
  if (!hasRulesOfKubeProxy(facts)) return isNeverHandled(facts) ? noRulesDiagnosis(facts) : undefined
  const jump = diagnoseMissingJump(path, facts)
  if (jump !== undefined) return jump
  return outcome.to === 'node' && assumptions.length === 0 ? missingNodePortDiagnosis(facts) : undefined
}

function isNeverHandled({ paths }: PacketDiagnosisContext): boolean {
  return paths.every(({ outcome }) => outcome.kind === 'unmatched')
}

/** Reports whether the dump has a chain, table, set or virtual server of kube-proxy in any mode. */
function hasRulesOfKubeProxy({ state: { iptables, nftables, ipvs, ipset } }: PacketDiagnosisContext): boolean {
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

/** Diagnoses a packet to a node port that the rules do not have, although they have other node ports. */
function missingNodePortDiagnosis(facts: PacketDiagnosisContext): Diagnosis | undefined {
  const { destination, destinationPort, protocol } = facts.packet
  if (destinationPort < NODE_PORTS.first || destinationPort > NODE_PORTS.last) return undefined
  const ports = facts
    .frontends()
    .filter(({ address, port }) => address === undefined || (address === destination && port >= NODE_PORTS.first))
  const port = `${destinationPort}/${protocol}`
  const known = [...new Set(ports.map((each) => `${each.port}/${each.protocol}`))]
  if (known.length === 0 || known.includes(port)) return undefined
  return {
    code: 'missingRule',
    summary: `${formatPacketsAtStart(facts)} are not handled by kube-proxy: its rules on the node have no node port ${port}`,
    cause: `${destination} is an address of the node, and the rules have the node ports ${formatList(known)} there; a process of the node may listen on ${port} instead`,
    steps: [
      {
        text: `Check with kubectl that a Service has the node port ${destinationPort}`,
        command: `kubectl get services -A | grep -w ${destinationPort}`,
      },
      { text: `If one has, its rules are missing: ${RESTART_TEXT}` },
    ],
    object: `the node port ${port}`,
    rule: port,
    ruleStatus: 'missing among the node ports',
  }
}
