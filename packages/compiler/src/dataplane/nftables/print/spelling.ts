import { listedDuration, writtenDuration } from '../duration.js'
import type { NftVersion } from '../version.js'

/** What differs between the text that kube-proxy writes and that which nft prints. */
export interface Spelling {
  readonly isListed: boolean
  /** Between the items of a list in braces. */
  readonly comma: string
  readonly duration: (milliseconds: number) => string
  /** Before a map to addresses and ports. */
  readonly saysAddressAndPort: boolean
}

/** As kube-proxy writes for `nft -f -`. */
export const WRITTEN: Spelling = {
  isListed: false,
  comma: ' , ',
  duration: writtenDuration,
  saysAddressAndPort: true,
}

/** As nft prints. */
export const LISTED: Readonly<Record<NftVersion, Spelling>> = {
  '1.0': { isListed: true, comma: ', ', duration: listedDuration, saysAddressAndPort: false },
  '1.1': { isListed: true, comma: ', ', duration: listedDuration, saysAddressAndPort: true },
}
