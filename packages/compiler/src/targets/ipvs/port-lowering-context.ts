import type { ServicePlan } from '../../plan/plan.js'
import type { LoweringContext } from './lowering-context.js'

/** The part of the lowering context that one service port depends on. */
export interface PortLoweringContext extends Pick<LoweringContext, 'family' | 'features' | 'scheduler' | 'flags'> {
  /** The external addresses of the service port that are addresses of the node. */
  readonly ownAddresses: readonly string[]
  /** Present only for service ports with a node port. */
  readonly nodePorts: Pick<LoweringContext, 'nodePortAddresses' | 'losesNodePortAddress'> | undefined
}

/**
 * Returns the relevant part of the lowering context: the addresses that serve node ports, and the external addresses
 * that are not bound.
 */
export function portLoweringContextOf({ frontends }: ServicePlan, lowering: LoweringContext): PortLoweringContext {
  const { family, features, scheduler, flags, nodePortAddresses, losesNodePortAddress } = lowering
  const own: string[] = []
  let hasNodePort = false
  for (const { kind, address } of frontends) {
    if (kind === 'nodePort') hasNodePort = true
    else if (kind !== 'clusterIP' && address !== undefined && lowering.ownAddresses.includes(address)) own.push(address)
  }
  const nodePorts = hasNodePort ? { nodePortAddresses, losesNodePortAddress } : undefined
  return { family, features, scheduler, flags, ownAddresses: own, nodePorts }
}
