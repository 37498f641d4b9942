import type { ModeLowering } from '../mode-lowering.js'
import { assemble } from './assemble.js'
import { hostRequirements } from './host-settings.js'
import { limitationsOf } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { loweringOf } from './lowering-of.js'
import { countParts } from './part-counts.js'
import { checkScheduler } from './scheduler.js'
import { type ServiceEntries, serviceEntries } from './service-entries.js'

/** The lowering of mode `ipvs`. */
export const ipvsLowering: ModeLowering<Lowering, ServiceEntries> = {
  limitationsOf,
  validate: checkScheduler,
  lowering,
  loweringOf,
  lowerService: serviceEntries,
  countParts,
  assemble,
  hostRequirements,
}
