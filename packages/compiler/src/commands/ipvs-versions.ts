import type { IpFamily } from '@kube-rules/types'
import { checkString } from '../arguments/check-argument.js'
import { type Features, featuresOf } from '../model/configuration/features.js'
import { newestVersionOf, parseVersion } from '../model/configuration/versions.js'
import { type IpvsSet, listSetsWithComments } from '../targets/ipvs/sets.js'
import { type RemovalRules, selectRemovalRules } from '../targets/ipvs/termination.js'

/**
 * Returns the sets of one family, in the creation order of kube-proxy. `kubernetesVersion` is a supported version. Default: the
 * newest with mode ipvs.
 */
export function listIpvsSets(family: IpFamily, kubernetesVersion?: string): readonly IpvsSet[] {
  return listSetsWithComments(family, featuresIn(kubernetesVersion))
}

/**
 * Returns the rules by which a version of kube-proxy removes virtual and real servers, for `terminateGracefully`.
 * `kubernetesVersion` is a supported version. Default: the newest with mode ipvs.
 */
export function removalRulesOf(kubernetesVersion?: string): RemovalRules {
  return selectRemovalRules(featuresIn(kubernetesVersion))
}

function featuresIn(kubernetesVersion = ''): Features {
  checkString('kubernetesVersion', kubernetesVersion, 'a version such as v1.31.2')
  return featuresOf('ipvs', parseVersion(kubernetesVersion) ?? newestVersionOf('ipvs'), new Map())
}
