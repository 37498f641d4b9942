import type { ServicePlan } from '../../plan/plan.js'
import type { Lowering } from './lowering.js'

/** What the part of one service port depends on of the lowering. */
export interface LoweringOfPort extends Pick<Lowering, 'family' | 'features' | 'scheduler' | 'flags'> {
  /** Of its external addresses, those that the node has. */
  readonly ownAddresses: readonly string[]
  /** Only for node ports. */
  readonly nodePorts: Pick<Lowering, 'nodePortAddresses' | 'losesNodePortAddress'> | undefined
}

/** Returns what of the lowering matters: where node ports are served, and which external addresses are not bound. */
export function loweringOf({ frontends }: ServicePlan, lowering: Lowering): LoweringOfPort {
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
