import { memo } from '../../internal/memo.js'
import type { LineOrigin } from '../netfilter/line-origin.js'
import type { AddressState } from './ast.js'
import { addressOwners } from './claims.js'
import { addressId, DEVICE } from './resources.js'

/** What each line says that `print` has printed of a state: the device, or an address on it. */
export function originsOfLines(lines: readonly string[], state: AddressState): readonly LineOrigin[] {
  const owners = memo(state, addressOwners)
  return lines.map((line) => {
    const [, address] = /^address add ([^/]+)\//.exec(line) ?? []
    const place = address === undefined ? DEVICE.id : addressId(address)
    return { owner: owners.get(place) ?? '', place }
  })
}
