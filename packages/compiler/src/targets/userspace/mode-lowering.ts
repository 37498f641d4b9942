import type { ModeLowering } from '../mode-lowering.js'
import { assemble } from './assemble.js'
import { countParts } from './count-parts.js'
import { limitationsOf } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { proxiedPart, type UserspacePart } from './proxied-part.js'

/**
 * The lowering of mode `userspace`, which kube-proxy had until 1.25: a local process accepts the connections, and rules
 * redirect packets to it.
 */
export const userspaceLowering: ModeLowering<Lowering, UserspacePart> = {
  limitationsOf,
  validate: () => [],
  lowering,
  lowerService: proxiedPart,
  countParts,
  assemble,
  hostRequirements: () => undefined,
}
