import type { ModeLowering } from '../mode-lowering.js'
import { assembleUserspaceMode } from './assemble.js'
import { countContributions } from './count-contributions.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext } from './lowering-context.js'
import { createUserspaceContribution, type UserspaceContribution } from './userspace-contribution.js'

/**
 * The lowering of a plan in `userspace` mode, which kube-proxy supports up to 1.25. A local process accepts the
 * connections, and rules redirect packets to this process.
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
