import type { Settings } from '../../configuration/settings.js'
import { FLAG_SCHED_2 } from '../../dataplane/ipvs/ast.js'
import type { PlanFrame } from '../../plan/plan.js'
import { losesNodePortAddress, nodePortAddresses, ownAddresses } from './node-addresses.js'
import { schedulerOf } from './scheduler.js'

/** What the virtual servers and set entries of every service port depend on beside their own plan. */
export interface Lowering {
  readonly scheduler: string
  /** What every virtual server has of `FLAG_…` bits. */
  readonly flags: number
  /** Where node ports are served. */
  readonly nodePortAddresses: readonly string[]
  /** Whether the plan serves them elsewhere, too. */
  readonly losesNodePortAddress: boolean
  /** Addresses that the node has already, so that they are not bound to `kube-ipvs0`. */
  readonly ownAddresses: readonly string[]
}

export function lowering(frame: PlanFrame, settings: Settings): Lowering {
  const scheduler = schedulerOf(settings)
  return {
    scheduler,
    // Maglev hashing takes the client's port into account, too.
    flags: scheduler === 'mh' ? FLAG_SCHED_2 : 0,
    nodePortAddresses: nodePortAddresses(frame),
    losesNodePortAddress: losesNodePortAddress(frame),
    ownAddresses: ownAddresses(frame),
  }
}
