import { isLinkLocal, isLoopback } from '@kube-rules/types/internal/ip'

/** Returns the most recognizable address of a node: not loopback and, if possible, not link-local. */
export function chooseNodeAddress(addresses: readonly string[]): string | undefined {
  const own = addresses.filter((address) => !isLoopback(address))
  return own.find((address) => !isLinkLocal(address)) ?? own[0]
}
