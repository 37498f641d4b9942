import { describe } from 'vitest'
import { useWorld } from '../world/use-world.js'
import { testReproductions } from './reproductions.js'

const worldFor = useWorld(['iptables-nft', 'iptables-legacy', 'nft', 'network', 'ipset'])

describe.each([
  { mode: 'iptables', backend: 'nft', otherMode: 'nftables', ipvs: 'ignored' },
  { mode: 'iptables', backend: 'legacy', otherMode: 'nftables', ipvs: 'ignored' },
  { mode: 'nftables', backend: 'nft', otherMode: 'iptables', ipvs: 'ignored' },
  // Virtual servers are looked at in a virtual machine, see vm/.
  { mode: 'ipvs', backend: 'nft', otherMode: 'iptables', ipvs: 'partly' },
] as const)('a node in mode $mode, iptables-$backend', ({ mode, backend, otherMode, ipvs }) => {
  testReproductions(worldFor, { backend, ipvs }, mode, otherMode)
})
