import { HOOKS } from '@kube-rules/compiler/internal/dataplane/netfilter/hooks'
import type { Plan } from '@kube-rules/compiler/internal/plan/plan'
import type { Diagnosis, DiagnosisStep } from './diagnosis.js'
import { formatServices, listDriftOfKind, type NodeDiagnosisContext } from './node-diagnosis-context.js'
import { prefixWithNode } from './packet-diagnosis-context.js'
import { createRepairScriptStep, createRestartStep, formatRootHint } from './remedies.js'

/** The effect on packets if built-in chains have no jump to a kube-proxy chain. */
interface Consequence {
  readonly table: string
  readonly target: string
  /** Describes the effect for a set of built-in chains without the jump. */
  readonly happens: (chains: readonly string[]) => string
}

const CONSEQUENCES: readonly Consequence[] = [
  {
    table: 'nat',
    target: 'KUBE-SERVICES',
    happens: (chains) => {
      if (chains.length > 1) return 'no Service works'
      return chains[0] === 'OUTPUT'
        ? 'no Service works for the node itself'
        : 'no Service works for pods on the node and external clients'
    },
  },
  {
    table: 'nat',
    target: 'KUBE-POSTROUTING',
    happens: () => 'clients of Services get no replies, because no packet is masqueraded',
  },
  {
    table: 'filter',
    target: 'KUBE-SERVICES',
    happens: () => 'clients of Services without endpoints time out instead of being rejected',
  },
  {
    table: 'filter',
    target: 'KUBE-FORWARD',
    happens: () => 'other rules may drop forwarded packets of Services',
  },
]

/** Diagnoses built-in chains without a jump to an existing kube-proxy chain. */
export function diagnoseMissingJumps(facts: NodeDiagnosisContext): readonly Diagnosis[] {
  const services = formatServices(facts)
  const missing = listDriftOfKind(facts, 'missing')
  if (services === undefined) return []
  return CONSEQUENCES.flatMap(({ table, target, happens }): readonly Diagnosis[] => {
    // A missing kube-proxy chain is reported separately.
    if (missing.some(({ part }) => part.kind === 'chain' && part.table === table && part.chain === target)) return []
    const chains = missing.flatMap(({ part }) =>
      part.kind === 'rule' && part.table === table && part.expected?.jumpsTo === target ? part.chain : [],
    )
    if (chains.length === 0) return []
    const sorted = [...chains].sort(byHook)
    const rule = `${table}/${target}`
    return [
      {
        code: 'missingJumps',
        summary: prefixWithNode(
          facts.plan,
          `${happens(sorted)}: the jump to ${target} is missing in ${sorted.join(' and ')} of table ${table}`,
        ),
        cause: `the rules of ${services.text} exist, but packets do not reach them; a firewall that reloads its rules often removes such jumps`,
        steps: [
          createRestartStep(facts.plan),
          createRepairScriptStep(facts.plan, 'If that does not help'),
          firewallStep(facts.plan),
        ],
        object: services.first,
        rule,
        ruleStatus: `exists, but without a jump from ${sorted.join(' and ')}`,
      },
    ]
  })
}

/** A step that finds the firewall that removes the jumps, with a command that lists common firewalls. */
function firewallStep(plan: Plan): DiagnosisStep {
  return {
    text: `For a permanent fix, find the firewall that removes these jumps when it starts or reloads, and configure it on every node; check for common firewalls ${formatRootHint(plan)}`,
    command: "systemctl list-units --type=service | grep -E 'firewalld|ufw|iptables|nftables|shorewall'",
    impact: 'if you need this firewall, restart kube-proxy after each reload of it',
  }
}

const ORDER: readonly string[] = HOOKS

function byHook(a: string, b: string): number {
  return ORDER.indexOf(a) - ORDER.indexOf(b)
}
