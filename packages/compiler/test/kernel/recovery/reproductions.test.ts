import { describe } from 'vitest'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { testReproductions } from './reproductions.js'

const sandboxFor = useSandbox(['iptables-nft', 'iptables-legacy', 'nft', 'network', 'ipset'])

describe.each([
  { mode: 'iptables', backend: 'nft', otherMode: 'nftables', ipvs: 'ignored' },
  { mode: 'iptables', backend: 'legacy', otherMode: 'nftables', ipvs: 'ignored' },
  { mode: 'nftables', backend: 'nft', otherMode: 'iptables', ipvs: 'ignored' },
  // The tests in vm/ check virtual servers, in a virtual machine.
  { mode: 'ipvs', backend: 'nft', otherMode: 'iptables', ipvs: 'partly' },
] as const)('a node in $mode mode with iptables-$backend', ({ mode, backend, otherMode, ipvs }) => {
  testReproductions(sandboxFor, { backend, ipvs }, mode, otherMode)
})
