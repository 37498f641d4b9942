import type { IpFamily } from '../ip.js'
import { parseIp } from '../ip.js'
import type { AllocationPool } from './allocate-from-pool.js'

/**
 * The networks of assumed addresses. They are parts of the networks reserved for tests (198.18.0.0/15 of RFC 2544 and
 * 2001:2::/48 of RFC 5180). The documentation networks are too small, and examples use them for clients.
 */
export const ASSUMED_CLUSTER_IP_RANGES = { IPv4: '198.18.0.0/16', IPv6: '2001:2::/112' } as const
export const ASSUMED_POD_IP_RANGES = { IPv4: '198.19.0.0/17', IPv6: '2001:2:0:1::/112' } as const
export const ASSUMED_LOAD_BALANCER_IP_RANGES = { IPv4: '198.19.128.0/17', IPv6: '2001:2:0:2::/112' } as const

/** The addresses of an assumed Node, from the documentation networks. */
export const ASSUMED_NODE_IPS: Readonly<Record<IpFamily, string>> = { IPv4: '192.0.2.1', IPv6: '2001:db8::1' }

type Network = Readonly<Record<IpFamily, string>>

/** Returns the addresses of a network except its first and last address. */
export function createAddressPool(name: string, networks: Network, family: IpFamily): AllocationPool {
  const [base = '', length = ''] = networks[family].split('/')
  const size = 2 ** ((family === 'IPv4' ? 32 : 128) - Number(length)) - 2
  return { name: `${family} ${name}`, size, textOf: (number) => addressAt(base, family, number + 1) }
}

function addressAt(base: string, family: IpFamily, host: number): string {
  if (family === 'IPv6') return parseIp(base + host.toString(16))?.text ?? ''
  const [a, b, c = '0'] = base.split('.')
  return `${a}.${b}.${Number(c) + (host >>> 8)}.${host & 255}`
}

/** The default node port range of an API server. */
export const NODE_PORT_POOL: AllocationPool = {
  name: 'node ports',
  size: 2768,
  textOf: (number) => String(30000 + number),
}

/** The port numbers for container ports that the input does not declare. No well-known service uses these numbers. */
export const CONTAINER_PORT_POOL: AllocationPool = {
  name: 'container ports',
  size: 16384,
  textOf: (number) => String(49152 + number),
}
