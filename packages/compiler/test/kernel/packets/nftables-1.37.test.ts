import { describe } from 'vitest'
import { testNftablesPackets } from './nftables-packets.js'

describe.each(['IPv4', 'IPv6'] as const)('%s', (family) => testNftablesPackets(family, '1.37'))
