import type { IpFamily } from '@kube-rules/types'
import { checkString } from '../arguments/check-argument.js'
import { type Features, featuresOf } from '../model/configuration/features.js'
import { newestVersionOf, parseVersion } from '../model/configuration/versions.js'
import { type IpvsModeSet, listSetsWithComments } from '../targets/ipvs/sets.js'
import { type RemovalBehavior, selectRemovalBehavior } from '../targets/ipvs/termination.js'

/**
 * Returns the IP sets of one family in the order that kube-proxy creates them. `kubernetesVersion` must be a supported
 * version. Without `kubernetesVersion`, returns the sets of the newest version with ipvs mode.
 */
export function listIpvsModeSets(family: IpFamily, kubernetesVersion?: string): readonly IpvsModeSet[] {
  return listSetsWithComments(family, featuresIn(kubernetesVersion))
}

/**
 * Returns the rules that a version of kube-proxy follows to remove virtual and real servers, for `terminateGracefully`.
 * `kubernetesVersion` must be a supported version. Without `kubernetesVersion`, the version is the newest with ipvs
 * mode.
 */
export function removalBehaviorOf(kubernetesVersion?: string): RemovalBehavior {
  return selectRemovalBehavior(featuresIn(kubernetesVersion))
}

function featuresIn(kubernetesVersion = ''): Features {
  checkString('kubernetesVersion', kubernetesVersion, 'a version such as v1.31.2')
  return featuresOf('ipvs', parseVersion(kubernetesVersion) ?? newestVersionOf('ipvs'), new Map())
}
