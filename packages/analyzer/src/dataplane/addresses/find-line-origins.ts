import type { AddressState } from '@kube-rules/compiler/internal/dataplane/addresses/ast'
import { findAddressOwners } from '@kube-rules/compiler/internal/dataplane/addresses/claims'
import { DEVICE_RESOURCE, formatAddressId } from '@kube-rules/compiler/internal/dataplane/addresses/resources'
import { memoize } from '@kube-rules/compiler/internal/internal/memo'
import type { LineOrigin } from '../netfilter/line-origin.js'

/** Returns the origin of each printed line: the device, or an address of the device. */
export function findLineOrigins(lines: readonly string[], state: AddressState): readonly LineOrigin[] {
  const owners = memoize(state, findAddressOwners)
  return lines.map((line) => {
    const [, address] = /^address add ([^/]+)\//.exec(line) ?? []
    const location = address === undefined ? DEVICE_RESOURCE.id : formatAddressId(address)
    return { owner: owners.get(location) ?? '', location }
  })
}
