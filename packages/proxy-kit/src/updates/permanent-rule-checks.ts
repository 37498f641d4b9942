import type { CompileResult } from '@kube-rules/compiler'

/** A check that a rule still exists: a command, and a text that its output contains as long as the rule exists. */
export interface PermanentRuleCheck {
  /** The program, such as `nft`. */
  readonly tool: string
  /** The arguments, without shell quotes. */
  readonly args: readonly string[]
  /** The text that the output contains as long as the rule exists. */
  readonly expected: string
}

/**
 * Returns checks for permanent rules of each table of a result, and for one virtual server in ipvs mode. If one of
 * these is missing, another program has removed all rules: read a dump of the node and pass it to `resync` of the
 * tracker. kube-proxy looks for its chain KUBE-PROXY-CANARY instead, which `iptables -F` does not delete.
 *
 * @example
 * ```ts
 * const result = compile(input, { nodeName: 'node-1', mode: 'nftables', families: ['IPv4'] })
 * createPermanentRuleChecks(result)[0].args // => ['list', 'chain', 'ip', 'kube-proxy', 'services']
 * ```
 */
export function createPermanentRuleChecks({ families }: CompileResult): readonly PermanentRuleCheck[] {
  return families.flatMap(({ family, state }): readonly PermanentRuleCheck[] => {
    const isIPv4 = family === 'IPv4'
    if (state.nftables !== undefined) {
      const args = ['list', 'chain', isIPv4 ? 'ip' : 'ip6', 'kube-proxy', 'services']
      return [{ tool: 'nft', args, expected: ' vmap ' }]
    }
    const tool = isIPv4 ? 'iptables' : 'ip6tables'
    const rule = (table: string, chain: string, expected: string, ...first: readonly string[]) => ({
      tool,
      args: ['-w', '5', '-t', table, '-S', chain, ...first],
      expected,
    })
    const servers = (state.ipvs?.virtualServers ?? []).slice(0, 1).map(({ address, port }) => {
      return { tool: 'ipvsadm', args: ['-Ln'], expected: ` ${isIPv4 ? address : `[${address}]`}:${port} ` }
    })
    return [
      ...servers,
      rule('nat', 'PREROUTING', '-j KUBE-SERVICES'),
      rule('nat', 'KUBE-SERVICES', '-A KUBE-SERVICES ', '1'),
      rule('nat', 'KUBE-POSTROUTING', '-j MASQUERADE'),
      rule('filter', 'KUBE-FORWARD', '-A KUBE-FORWARD '),
    ]
  })
}
