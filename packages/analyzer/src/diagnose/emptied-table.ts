import { chainsWithOwnersOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { PROXY_CANARY_CHAIN } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import type { Diagnosis } from './diagnosis.js'
import {
  findTable,
  formatServices,
  listDriftOfKind,
  type NodeDiagnosisContext,
  userDefinedChainsOf,
} from './node-diagnosis-context.js'
import { prefixWithNode } from './packet-diagnosis-context.js'
import { createRepairScriptStep, createRestartOrScriptSteps, isShellSafeName } from './remedies.js'

/**
 * Diagnoses a nat table without rules for Services. The chains of kube-proxy may be missing or empty. kube-proxy
 * detects the loss of its rules only if its canary chain is also missing.
 */
export function diagnoseEmptiedTable(facts: NodeDiagnosisContext): Diagnosis | undefined {
  const services = formatServices(facts)
  const isMissing = listDriftOfKind(facts, 'missing').some(({ location }) => location === 'nat/KUBE-SERVICES')
  if (services === undefined || !isMissing || hasServiceRules(facts)) return undefined
  const isUnnoticed =
    remainingJumps(facts, 'filter').length > 0 && remainingJumps(facts, 'mangle').includes(PROXY_CANARY_CHAIN)
  return isUnnoticed ? unnoticed(services, facts) : nothingThere(services, facts)
}

/**
 * Reports whether any rule exists in the chains of service ports, or in chains that jump to these chains. Other chains
 * may belong to a kubelet.
 */
function hasServiceRules({ live: { iptables } }: NodeDiagnosisContext): boolean {
  const table = findTable(iptables, 'nat')
  if (table === undefined) return false
  return [...chainsWithOwnersOf(table)].some(([chain, rules]) => rules.length > 0 && isServiceChain(chain))
}

function isServiceChain(chain: string): boolean {
  return /^KUBE-(?:SERVICES$|NODEPORTS$|NODE-PORT$|PORTALS-|NODEPORT-|SVC-|SEP-|EXT-|FW-|XLB-)/.test(chain)
}

/** Returns the kube-proxy chains that remain in a table. Built-in chains are excluded. */
function remainingJumps(
  { live: { iptables } }: NodeDiagnosisContext,
  name: 'nat' | 'filter' | 'mangle',
): readonly string[] {
  const table = findTable(iptables, name)
  return table === undefined ? [] : userDefinedChainsOf(table).filter((chain) => chain.startsWith('KUBE-'))
}

type ServicesText = NonNullable<ReturnType<typeof formatServices>>

function unnoticed({ text, first }: ServicesText, { plan }: NodeDiagnosisContext): Diagnosis {
  return {
    code: 'emptiedTable',
    summary: prefixWithNode(
      plan,
      'no Service works: the rules of kube-proxy in the nat table were deleted, and kube-proxy did not notice',
    ),
    cause: `the rules of ${text} are missing, for example after iptables -t nat -F; kube-proxy checks only its marker chain (${PROXY_CANARY_CHAIN} in table mangle), which still exists; if you do nothing, kube-proxy 1.33 and newer repairs the table within an hour, and older versions never do`,
    steps: [
      ...createRestartOrScriptSteps(plan),
      { text: 'Find out which program or person deleted the rules on that node, so that it does not happen again' },
    ],
    object: first,
    rule: `mangle/${PROXY_CANARY_CHAIN}`,
    ruleStatus: 'still there, the only chain that kube-proxy checks',
  }
}

function nothingThere({ text, first }: ServicesText, { plan }: NodeDiagnosisContext): Diagnosis {
  const { name } = plan.node
  const here = isShellSafeName(name) ? ` --field-selector spec.nodeName=${name}` : ''
  return {
    code: 'noRules',
    summary: prefixWithNode(plan, 'no Service works: the nat table has no rules of kube-proxy'),
    cause: `the rules of ${text} are missing: kube-proxy does not run there, or cannot write rules`,
    steps: [
      {
        text: 'Check with kubectl whether kube-proxy is running; in kubeadm clusters, its pods have the label k8s-app=kube-proxy',
        command: `kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide${here}`,
      },
      {
        text: 'If it is running, read the log of that pod with kubectl -n kube-system logs to see why it writes no rules',
      },
      createRepairScriptStep(plan, 'To restore the rules now'),
    ],
    object: first,
    rule: 'nat/KUBE-SERVICES',
    ruleStatus: 'missing',
  }
}
