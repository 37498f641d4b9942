import type { IpFamily } from '@kube-rules/types'
import { FLAG_SCHED_2 } from '../../dataplane/ipvs/ast.js'
import type { Features } from '../../model/configuration/features.js'
import type { PlanHeader } from '../../plan/plan.js'
import { lacksNodePortAddress, nodePortAddressesOf, nonServiceAddressesOf } from './node-addresses.js'
import { schedulerOf } from './scheduler.js'

/** The lowering context: inputs of the virtual servers and set entries of every service portexcept its plan. */
export interface LoweringContext {
  readonly family: IpFamily
  readonly features: Features
  readonly scheduler: string
  /** The `FLAG_…` bits of every virtual server. */
  readonly flags: number
  /** The addresses that serve node ports. */
  readonly nodePortAddresses: readonly string[]
  /** Whether the plan serves node ports at further addresses. */
  readonly losesNodePortAddress: boolean
  /** Existing addresses of the node, which are not bound to `kube-ipvs0`. */
  readonly ownAddresses: readonly string[]
}

export function createLoweringContext(frame: PlanHeader): LoweringContext {
  const { features } = frame.kernel
  const scheduler = schedulerOf(frame.kernel)
  return {
    family: frame.family,
    features,
    scheduler,
    // Maglev hashing also uses the port of the client.
    flags: scheduler === 'mh' && features.maglevHashesPort ? FLAG_SCHED_2 : 0,
    nodePortAddresses: nodePortAddressesOf(frame),
    losesNodePortAddress: lacksNodePortAddress(frame),
    ownAddresses: nonServiceAddressesOf(frame),
  }
}
