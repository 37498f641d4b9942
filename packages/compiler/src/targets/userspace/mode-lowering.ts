import type { ModeLowering } from '../mode-lowering.js'
import { assembleUserspaceMode } from './assemble.js'
import { countContributions } from './count-contributions.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createUserspaceContribution, type UserspaceContribution } from './userspace-contribution.js'

/**
 * Converts a plan to the node state in `userspace` mode, which kube-proxy supports up to 1.25. A local process, the
 * userspace proxy, accepts the connections, and rules redirect packets to it.
 */
export const userspaceLowering: ModeLowering<LoweringContext, UserspaceContribution> = {
  limitationsOf,
  validate: () => [],
  lowering: createLoweringContext,
  lowerService: createUserspaceContribution,
  countParts: countContributions,
  assemble: assembleUserspaceMode,
  hostRequirements: () => undefined,
}
