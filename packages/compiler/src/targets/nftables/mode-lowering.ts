import type { Diagnostic } from '@kube-rules/types'
import { buildNftablesState, type NftablesState, type TableContribution } from '../../dataplane/nftables/state.js'
import type { NodeState } from '../../dataplane/node-state.js'
import { reuseIfEqual } from '../../internal/plain-data.js'
import type { PlanHeader } from '../../plan/plan.js'
import type {
  AssembledState,
  ContributionCounts,
  ModeLowering,
  PreviousAssembly,
  ServiceContributions,
} from '../mode-lowering.js'
import { createAlphaStaticTable } from './alpha-table.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createServiceContribution } from './service-contribution.js'
import { createStaticTable } from './static-table.js'

/** Converts a plan to the node state in `nftables` mode. */
export const nftablesLowering: ModeLowering<LoweringContext, TableContribution> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  lowerService: createServiceContribution,
  countParts: countContributions,
  assemble: assembleNftablesMode,
  hostRequirements: () => undefined,
}

/** The state in nftables mode. */
export interface NftablesNodeState extends NodeState {
  readonly nftables: NftablesState
}

/**
 * Builds the table of one family. Mirrors `syncProxyRules` of the nftables proxier. The service ports have the order of
 * the plan.
 */
export function assembleNftablesMode(
  contributions: ServiceContributions<TableContribution>,
  header: PlanHeader,
  earlier?: PreviousAssembly<TableContribution>,
): AssembledState<NftablesNodeState> {
  const isAlpha = header.kernel.features.alphaTable
  const staticTable = reuseIfEqual(
    isAlpha ? createAlphaStaticTable(header) : createStaticTable(header),
    earlier?.state.nftables?.staticTable,
  )
  const state = { family: header.family, nftables: buildNftablesState(staticTable, contributions.list) }
  const { chains, rules } = countContributions([staticTable])
  const { counts } = contributions
  return {
    state,
    counts: { chains: counts.chains + chains, rules: counts.rules + rules },
    diagnostics: checkInterfaces(header),
  }
}

/**
 * Warns if local traffic detection uses an interface, but kube-proxy does not match the interface by name in this
 * version. nft then looks up the interface when the rules are loaded, and accepts no prefix. The rules may therefore
 * never be loaded.
 */
function checkInterfaces({ node, kernel }: PlanHeader): readonly Diagnostic[] {
  const { localTrafficDetection } = node
  if (localTrafficDetection === undefined || localTrafficDetection.kind === 'cidr' || kernel.features.interfacesByName)
    return []
  const message =
    localTrafficDetection.kind === 'interface'
      ? `this version of kube-proxy writes no rule in nftables mode while the node has no interface ${localTrafficDetection.interface}: nft looks it up when it loads the rules`
      : `this version of kube-proxy never writes a rule in nftables mode with interfaces ${localTrafficDetection.prefix}*: nft accepts no prefix there, because it looks the interface up`
  const path =
    localTrafficDetection.kind === 'interface' ? 'detectLocal.bridgeInterface' : 'detectLocal.interfaceNamePrefix'
  const object = { kind: 'KubeProxyConfiguration', name: 'config' }
  return [{ severity: 'warning', code: 'modeLimitation', object, path, message }]
}

/** Counts the chains and rules of contributions. */
function countContributions(parts: readonly Pick<TableContribution, 'chains'>[]): ContributionCounts {
  let [chainCount, ruleCount] = [0, 0]
  for (const { chains } of parts) {
    chainCount += chains.length
    for (const { rules } of chains) ruleCount += rules.length
  }
  return { chains: chainCount, rules: ruleCount }
}
