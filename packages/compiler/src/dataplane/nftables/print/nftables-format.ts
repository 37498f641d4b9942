import { formatKubeProxyDuration, formatNftDuration } from '../duration.js'
import type { NftVersion } from '../version.js'

/** The differences between kube-proxy input and nft output. */
export interface NftablesFormat {
  readonly isListed: boolean
  /** The separator of list items in braces. */
  readonly comma: string
  readonly duration: (milliseconds: number) => string
  /** Whether `addr . port` precedes a map with addresses and ports as data. */
  readonly printsAddressAndPort: boolean
}

/** The format of kube-proxy input for `nft -f -`. */
export const KUBE_PROXY_FORMAT: NftablesFormat = {
  isListed: false,
  comma: ' , ',
  duration: formatKubeProxyDuration,
  printsAddressAndPort: true,
}

/** The nft output. */
export const NFT_FORMATS: Readonly<Record<NftVersion, NftablesFormat>> = {
  '1.0': { isListed: true, comma: ', ', duration: formatNftDuration, printsAddressAndPort: false },
  '1.1': { isListed: true, comma: ', ', duration: formatNftDuration, printsAddressAndPort: true },
}
