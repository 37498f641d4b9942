import { checkState } from '@kube-rules/compiler/internal/arguments/check-state'
import { getBlockRules } from '@kube-rules/compiler/internal/dataplane/iptables/lazy-block'
import type { NodeState } from '@kube-rules/compiler/internal/dataplane/node-state'
import {
  isServicePortChainOfAnyVersion,
  isUserspaceProxyChain,
  PROXY_CANARY_CHAIN,
} from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import type { Drift } from '../verify/report.js'
import type { Diagnosis } from './diagnosis.js'
import { findReplacements } from './find-replacements.js'
import {
  findTable,
  formatServices,
  listDriftOfKind,
  type NodeDiagnosisContext,
  userDefinedChainsOf,
} from './node-diagnosis-context.js'
import { prefixWithNode } from './packet-diagnosis-context.js'
import { createRepairScriptStep, createRestartOrScriptSteps, isShellSafeName, prependCondition } from './remedies.js'

/**
 * Diagnoses a nat table without rules for Services. The chains of kube-proxy may be missing or empty. kube-proxy
 * detects the loss of its rules only if its canary chain is also missing.
 */
export function diagnoseEmptiedTable(facts: NodeDiagnosisContext): Diagnosis | undefined {
  const services = formatServices(facts)
  const missing = listDriftOfKind(facts, 'missing').find(isNeededByAll)
  if (services === undefined || missing === undefined || hasNatServiceRules(facts.live)) return undefined
  if (missing.part.kind === 'table') return nothingThere(services, facts, missing.part.table)
  const isUnnoticed =
    remainingJumps(facts, 'filter').length > 0 && remainingJumps(facts, 'mangle').includes(PROXY_CANARY_CHAIN)
  return isUnnoticed ? unnoticed(services, facts) : nothingThere(services, facts)
}

/** Reports whether drift is about the part that every Service needs: in nftables mode, the table of kube-proxy. */
function isNeededByAll({ part }: Drift): boolean {
  return part.kind === 'table' || ('chain' in part && part.table === 'nat' && part.chain === 'KUBE-SERVICES')
}

/**
 * Reports whether the nat table of a state has any rule in the chains of service ports, or in chains that jump to these
 * chains. Other chains may belong to a kubelet. Without such a rule, `diagnoseNode` may return `noRules` or
 * `emptiedTable`.
 */
export function hasNatServiceRules(state: NodeState): boolean {
  checkState('state', state)
  const { blocks = [] } = findTable(state.iptables, 'nat') ?? {}
  return blocks.some((block) => getBlockRules(block).some(({ chain }) => isServiceChain(chain)))
}

/** The chains with the destinations of all Services. */
const SHARED: ReadonlySet<string> = new Set(['KUBE-SERVICES', 'KUBE-NODEPORTS', 'KUBE-NODE-PORT'])

/** Reports whether a chain is one of kube-proxy for Services. */
export function isServiceChain(chain: string): boolean {
  return SHARED.has(chain) || isServicePortChainOfAnyVersion(chain) || isUserspaceProxyChain(chain)
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

function nothingThere({ text, first }: ServicesText, facts: NodeDiagnosisContext, table?: string): Diagnosis {
  const { plan } = facts
  const { name } = plan.node
  const here = isShellSafeName(name) ? ` --field-selector spec.nodeName=${name}` : ''
  const [other] = findReplacements(facts.live.iptables)
  const lack = table === undefined ? 'the nat table has no rules of kube-proxy' : `there is no table ${table}`
  const absence = 'kube-proxy does not run there, or cannot write rules'
  return {
    code: 'noRules',
    summary: prefixWithNode(
      plan,
      other === undefined
        ? `no Service works: ${lack}`
        : `${lack}: no Service works, unless ${other.name} serves Services in its place`,
    ),
    cause: `the rules of ${text} are missing: ${
      other === undefined
        ? absence
        : `if ${other.name} replaces kube-proxy, this is normal, and kube-rules cannot verify this node; if not, ${absence}`
    }`,
    steps: [
      ...(other?.replacement === undefined ? [] : [other.replacement]),
      {
        text: prependCondition(
          other === undefined ? '' : `If kube-proxy serves Services`,
          'Check with kubectl whether kube-proxy is running; in kubeadm clusters, its pods have the label k8s-app=kube-proxy',
        ),
        command: `kubectl -n kube-system get pods -l k8s-app=kube-proxy -o wide${here}`,
      },
      {
        text: 'If it is running, read the log of that pod with kubectl -n kube-system logs to see why it writes no rules',
      },
      createRepairScriptStep(
        plan,
        other === undefined
          ? 'To restore the rules now'
          : 'To restore the rules of kube-proxy now, if it serves Services',
      ),
    ],
    object: first,
    rule: table === undefined ? 'nat/KUBE-SERVICES' : `nftables ${table}`,
    ruleStatus: 'missing',
  }
}
