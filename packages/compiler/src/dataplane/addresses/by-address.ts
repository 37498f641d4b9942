import { contributionChanges } from '../../diff/claims.js'
import { isOfList, listBehind } from '../../internal/array-of-list.js'
import type { ByAddress } from '../netfilter/by-address.js'
import { NOWHERE } from '../netfilter/reach.js'
import type { AddressContribution, AddressState } from './ast.js'

/** Packets meet none of it: it tells whose addresses are, of sources, too. Another address concerns packets for any. */
export const addressesByAddress: ByAddress<AddressState> = {
  changed: (before, after) => {
    if (!isOfList(before) || !isOfList(after)) return undefined
    const [old, fresh] = [listBehind(before, 'contributions'), listBehind(after, 'contributions')]
    if (old === undefined || fresh === undefined) return undefined
    const { removed, added } = contributionChanges(old, fresh)
    return boundText(removed) === boundText(added) ? NOWHERE : undefined
  },
  sendingTo: () => NOWHERE,
  sentFrom: () => [],
  partAt: (state) => state,
}

function boundText(contributions: readonly AddressContribution[]): string {
  return contributions
    .flatMap(({ boundAddresses }) => boundAddresses)
    .sort()
    .join(' ')
}
