import type { Features } from '../../model/configuration/features.js'
import type { MasqueradePolicy, PlanHeader } from '../../plan/plan.js'

/** The fields of the lowering context that only the rules of older versions need. */
export interface LegacyLoweringContext {
  readonly features: Features
  /** Whether an address of the node serves node ports. */
  readonly hasNodePortAddress: boolean
  readonly clusterIPMasquerade: MasqueradePolicy
}

export function createLegacyLoweringContext({
  kernel: { features },
  node: { nodePorts },
  clusterIPMasquerade,
}: PlanHeader): LegacyLoweringContext {
  return { features, hasNodePortAddress: nodePorts.all || nodePorts.addresses.length > 0, clusterIPMasquerade }
}
