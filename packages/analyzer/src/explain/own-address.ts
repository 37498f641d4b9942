import { isLinkLocal, isLoopback } from '@kube-rules/types'

/** The address by which others are most likely to know the node: neither loopback nor, if there is another, link-local. */
export function ownAddress(addresses: readonly string[]): string | undefined {
  const own = addresses.filter((address) => !isLoopback(address))
  return own.find((address) => !isLinkLocal(address)) ?? own[0]
}
