import { setResource } from '../../dataplane/ipset/resources.js'
import { diffIptables } from '../../dataplane/iptables/diff-state.js'
import { digestOfState } from '../../dataplane/iptables/state-digest.js'
import { changesOf, type ResourcePair } from '../../diff/diff.js'
import { NO_DIGEST } from '../../diff/digest.js'
import { orderChanges } from '../../diff/order.js'
import type { Patch } from '../../diff/patch.js'
import type { Resource } from '../../diff/resource.js'
import { hash16 } from '../../internal/hash.js'
import { DEVICE } from './address-resources.js'
import { diffClaims, digestOfClaims } from './diff-claims.js'
import { SET_NAMES, setDefinition } from './sets.js'
import type { IpvsModeState } from './state.js'

/**
 * What turns the virtual servers, sets, addresses and rules of one state into those of another of the same family.
 * Undefined stands for nothing of ours: as `before` for a first load, as `after` to remove everything. What the host
 * needs beside rules (`sysctls`, `kernelModules`, `timeouts`) is no part of it.
 *
 * The cost is that of the service ports whose entries are not the identical object in both states; every other costs one
 * comparison. The first diff that starts from a state which no diff has led to looks at everything once.
 */
export function diffIpvs(before: IpvsModeState | undefined, after: IpvsModeState | undefined): Patch {
  const rules = diffIptables(before?.iptables, after?.iptables)
  const claims = diffClaims(before, after)
  return {
    from: digestOf(before),
    to: digestOf(after),
    changes: orderChanges([...changesOf([...fixedPairs(before, after), ...claims]), ...rules.changes]),
  }
}

function digestOf(state: IpvsModeState | undefined): string {
  return state === undefined ? NO_DIGEST : hash16(`${digestOfState(state.iptables)} ${digestOfClaims(state)}`)
}

/** What every state has. */
function fixedPairs(before: IpvsModeState | undefined, after: IpvsModeState | undefined): readonly ResourcePair[] {
  if (before === undefined) return fixedResources(after).map((resource) => ({ after: resource }))
  return after === undefined ? fixedResources(before).map((resource) => ({ before: resource })) : []
}

function fixedResources(state: IpvsModeState | undefined): readonly Resource[] {
  if (state === undefined) return []
  return [DEVICE, ...SET_NAMES.map((name) => setResource(setDefinition(name, state.family)))]
}
