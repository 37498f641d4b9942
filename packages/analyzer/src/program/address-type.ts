import { negateIf, type Ternary, toTernary } from '@kube-rules/compiler/internal/dataplane/netfilter/ternary'
import { isMulticast, isUnspecified } from '@kube-rules/types/internal/ip'
import { addressToNumber } from './address-range.js'
import type { NodeFacts } from './facts.js'
import type { KernelPacket } from './kernel-packet.js'

/**
 * Reports whether an address has a type of addrtype or fib. The kernel looks only into the table `local`: an address
 * that is not there is UNICAST, whatever its route (`__inet_dev_addr_type`).
 */
export function isOfAddressType(type: string, address: string, { family }: KernelPacket, facts: NodeFacts): Ternary {
  switch (type) {
    case 'LOCAL':
      return facts.isLocal(address)
    case 'MULTICAST':
      return toTernary(isMulticast(address))
    case 'UNSPEC':
      return toTernary(isUnspecified(address))
    case 'BROADCAST':
      return family === 'IPv4' ? isBroadcast(address, facts) : 'no'
    case 'UNICAST':
      if (family === 'IPv6') return toTernary(!isMulticast(address) && !isUnspecified(address))
      return isUnicast(address, facts)
    // IPv6 addresses of routers may be anycast, and unreachable ones depend on routes.
    case 'ANYCAST':
    case 'UNREACHABLE':
      if (family === 'IPv4') return 'no'
      return facts.isLocal(address) === 'yes' ? 'no' : 'unknown'
    default:
      return 'no'
  }
}

function isUnicast(address: string, facts: NodeFacts): Ternary {
  if (isMulticast(address) || isUnspecified(address)) return 'no'
  const [isLocal, isBroadcastAddress] = [facts.isLocal(address), isBroadcast(address, facts)]
  if (isLocal === 'yes' || isBroadcastAddress === 'yes') return 'no'
  return isBroadcastAddress === 'unknown' ? 'unknown' : negateIf(true, isLocal)
}

/**
 * Reports whether an address is the first or the last one of a network of the node. Prefix lengths are not known, but
 * the address has to share with one of the node all bits before its trailing zeros or ones.
 */
function isBroadcast(address: string, { addresses }: NodeFacts): Ternary {
  if (address === '255.255.255.255') return 'yes'
  const number = Number(addressToNumber(address, 'IPv4') ?? 0n)
  const hostBits = Math.max(countTrailingZeros(number), countTrailingZeros(~number))
  if (hostBits < 2) return 'no'
  if (addresses === undefined) return 'unknown'
  const network = (of: number) => Math.floor(of / 2 ** hostBits)
  const isShared = addresses.some((own) => !own.includes(':') && network(numberOf(own)) === network(number))
  return isShared ? 'unknown' : 'no'
}

function numberOf(address: string): number {
  return Number(addressToNumber(address, 'IPv4') ?? 0n)
}

/** Returns the number of zero bits at the end of a number of 32 bits. */
function countTrailingZeros(number: number): number {
  const word = number >>> 0
  return word === 0 ? 32 : 31 - Math.clz32(word & -word)
}
