import type { Mode } from '../mode.js'
import { assemble } from './assemble.js'
import { countParts } from './count-parts.js'
import { LIMITATIONS, limitationsOf } from './limitations.js'
import { type Lowering, lowering } from './lowering.js'
import { type ProxiedPart, proxiedPart } from './proxied-part.js'

/** Mode `userspace`, which kube-proxy had until 1.25: a process takes the connections, and rules lead packets to it. */
export const userspaceMode: Mode<Lowering, ProxiedPart> = {
  languages: ['iptables'],
  limitations: LIMITATIONS,
  limitationsOf,
  validate: () => [],
  lowering,
  lowerService: proxiedPart,
  countParts,
  assemble,
  hostSettings: () => undefined,
}
