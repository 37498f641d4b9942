import { CONTAINER_RUNTIMES } from './container-runtimes.js'
import { FIREWALLS } from './firewalls.js'
import { MESHES_AND_BALANCERS } from './meshes-and-balancers.js'
import type { Neighbor } from './neighbor.js'
import { NETWORK_PLUGINS } from './network-plugins.js'

/** All known programs. If several have the same sign, the first one counts. */
export const NEIGHBORS: readonly Neighbor[] = [
  ...NETWORK_PLUGINS,
  ...CONTAINER_RUNTIMES,
  ...FIREWALLS,
  ...MESHES_AND_BALANCERS,
]
