import type { Rule } from '@kube-rules/compiler/internal/dataplane/iptables/ast'
import { jumpTargetOf } from '@kube-rules/compiler/internal/dataplane/iptables/chains'
import { SERVICES_CHAIN } from '@kube-rules/compiler/internal/targets/iptables/chain-names'
import { kindOfServicePortChain } from '@kube-rules/compiler/internal/targets/shared/kube-chains'
import { MARK_MASQ_CHAIN } from '@kube-rules/compiler/internal/targets/shared/mark'
import { ASSUMED_COMMENT } from './assumed-rule.js'

/**
 * Returns the jumps from KUBE-SERVICES to the KUBE-SVC and KUBE-SVL chains of a fragment that no rule jumps to. The rule
 * of such a chain that masquerades packets from outside the pod network matches the cluster IP and port (since 1.22), as
 * the jump does.
 */
export function inferServiceJumps(rules: readonly Rule[]): readonly Rule[] {
  const targets = new Set(rules.map(jumpTargetOf))
  return rules.flatMap((rule) => {
    const { chain, matches } = rule
    const isMasquerading = POLICY_CHAINS.has(kindOfServicePortChain(chain)) && jumpTargetOf(rule) === MARK_MASQ_CHAIN
    const frontend = matches.filter(({ kind }) => kind === 'transport' || FRONTEND_MATCHES.has(kind))
    const isOfFrontend = [...FRONTEND_MATCHES].every((kind) => frontend.some((match) => match.kind === kind))
    if (!isMasquerading || !isOfFrontend || targets.has(chain)) return []
    return [{ chain: SERVICES_CHAIN, matches: [ASSUMED_COMMENT, ...frontend], target: { kind: 'jump', chain } }]
  })
}

/** The kinds of chains that jump to the endpoint chains, in versions that match the cluster IP in them. */
const POLICY_CHAINS: ReadonlySet<ReturnType<typeof kindOfServicePortChain>> = new Set(['SVC', 'SVL'])

/** The kinds of matches for the cluster IP, the protocol and the port. */
const FRONTEND_MATCHES: ReadonlySet<string> = new Set(['destination', 'protocol', 'destinationPort'])
