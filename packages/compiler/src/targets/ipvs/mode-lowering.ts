import type { ModeLowering } from '../mode-lowering.js'
import { assembleIpvsMode } from './assemble.js'
import { countContributions } from './contribution-counts.js'
import { hostRequirementsOf } from './host-requirements.js'
import { limitationsOf } from './limitations.js'
import { createLoweringContext, type LoweringContext, portLoweringContextOf } from './lowering-context.js'
import { checkScheduler } from './scheduler.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'

/** The lowering of mode `ipvs`. */
export const ipvsLowering: ModeLowering<LoweringContext, ServiceEntries> = {
  limitationsOf,
  validate: checkScheduler,
  lowering: createLoweringContext,
  loweringOf: portLoweringContextOf,
  lowerService: serviceEntries,
  countParts: countContributions,
  assemble: assembleIpvsMode,
  hostRequirements: hostRequirementsOf,
}
