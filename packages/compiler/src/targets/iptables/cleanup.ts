import { ruleArguments } from '../../dataplane/iptables/arguments.js'
import type { IptablesState, Rule, Table, TableName } from '../../dataplane/iptables/ast.js'
import { chainsOf } from '../../dataplane/iptables/chains.js'
import { restoreTool, ruleTool } from '../../dataplane/iptables/tools.js'
import type { Stage } from '../../dataplane/netfilter/stage.js'
import type { Features } from '../../model/features.js'
import { FORWARD_CHAIN, POSTROUTING_CHAIN } from '../shared/mark.js'
import {
  EXTERNAL_SERVICES_CHAIN,
  isServicePortChain,
  isSharedWithKubelet,
  NODE_PORTS_CHAIN,
  PROXY_FIREWALL_CHAIN,
  SERVICES_CHAIN,
} from './chain-names.js'
import { FILTER_JUMPS, NAT_JUMPS } from './jumps.js'

/**
 * The runs of tools by which kube-proxy leaves iptables mode: each jump from a built-in chain is removed, then the chains
 * of nat and filter that `state` has (compiled, or parsed from a dump) are emptied and removed, one input for each table.
 * KUBE-MARK-MASQ and the jumps to KUBE-FIREWALL stay, as they are the kubelet's too. Mirrors `CleanupLeftovers` of the
 * iptables proxier of kube-proxy v1.30.
 */
export function cleanupIptables(state: IptablesState, features: Features): readonly Stage[] {
  const filter = [SERVICES_CHAIN, EXTERNAL_SERVICES_CHAIN, FORWARD_CHAIN, NODE_PORTS_CHAIN]
  const proxyFirewall = features.cleanupRemovesProxyFirewall ? [PROXY_FIREWALL_CHAIN] : []
  return [
    ...FILTER_JUMPS.filter(isOwnJump).map((rule) => unlinkStage(rule, 'filter', state)),
    ...NAT_JUMPS.map((rule) => unlinkStage(rule, 'nat', state)),
    ...removalStages(state, 'nat', [SERVICES_CHAIN, NODE_PORTS_CHAIN, POSTROUTING_CHAIN]),
    ...removalStages(state, 'filter', [...filter, ...proxyFirewall]),
  ]
}

function isOwnJump({ verdict }: Rule): boolean {
  return verdict?.kind === 'jump' && !isSharedWithKubelet(verdict.chain)
}

function unlinkStage(rule: Rule, table: TableName, { family }: IptablesState): Stage {
  return {
    tool: ruleTool(family),
    args: ruleArguments('-D', rule, table, family),
    input: '',
    purpose: `remove a jump from ${rule.chain}`,
    mayFail: true,
  }
}

function removalStages({ family, tables }: IptablesState, name: TableName, fixed: readonly string[]): readonly Stage[] {
  const table = tables.find((each) => each.name === name)
  const chains = table === undefined ? [] : chainsToRemove(table, fixed)
  if (chains.length === 0) return []
  const lines = [...chains.map((chain) => `:${chain} - [0:0]`), ...chains.map((chain) => `-X ${chain}`)]
  return [
    {
      tool: restoreTool(family),
      args: ['-w', '-T', name, '--noflush', '--counters'],
      input: [`*${name}`, ...lines, 'COMMIT', ''].join('\n'),
      purpose: `remove the chains of table ${name}`,
    },
  ]
}

/** The fixed ones first, then those of service ports, in code-unit order. */
function chainsToRemove(table: Table, fixed: readonly string[]): readonly string[] {
  const chains = [...chainsOf(table).keys()]
  const ofServicePorts = table.name === 'nat' ? chains.filter(isServicePortChain).sort() : []
  return [...fixed.filter((chain) => chains.includes(chain)), ...ofServicePorts]
}
