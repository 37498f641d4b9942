import type { IpFamily } from '@kube-rules/types'
import { type Features, featuresOf } from '../model/configuration/features.js'
import { newestVersionOf, parseVersion } from '../model/configuration/versions.js'
import { type IpvsSet, setsWithComments } from '../targets/ipvs/sets.js'
import { type RemovalRules, removalWith } from '../targets/ipvs/termination.js'

/**
 * Returns the sets of one family, in the creation order of kube-proxy. `kubernetesVersion` is a supported version. Default: the
 * newest with mode ipvs.
 */
export function ipvsSets(family: IpFamily, kubernetesVersion?: string): readonly IpvsSet[] {
  return setsWithComments(family, featuresIn(kubernetesVersion))
}

/**
 * Returns the rules by which a version of kube-proxy removes virtual and real servers, for `terminateGracefully`.
 * `kubernetesVersion` is a supported version. Default: the newest with mode ipvs.
 */
export function removalOf(kubernetesVersion?: string): RemovalRules {
  return removalWith(featuresIn(kubernetesVersion))
}

function featuresIn(kubernetesVersion = ''): Features {
  return featuresOf('ipvs', parseVersion(kubernetesVersion) ?? newestVersionOf('ipvs'), new Map())
}
