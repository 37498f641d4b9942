import type { AddressState } from '@kube-rules/compiler/internal/dataplane/addresses/ast'
import { addressOwners } from '@kube-rules/compiler/internal/dataplane/addresses/claims'
import { addressId, DEVICE } from '@kube-rules/compiler/internal/dataplane/addresses/resources'
import { memo } from '@kube-rules/compiler/internal/internal/memo'
import type { LineOrigin } from '../netfilter/line-origin.js'

/** Returns the origin of each printed line: the device, or an address on it. */
export function originsOfLines(lines: readonly string[], state: AddressState): readonly LineOrigin[] {
  const owners = memo(state, addressOwners)
  return lines.map((line) => {
    const [, address] = /^address add ([^/]+)\//.exec(line) ?? []
    const location = address === undefined ? DEVICE.id : addressId(address)
    return { owner: owners.get(location) ?? '', location }
  })
}
