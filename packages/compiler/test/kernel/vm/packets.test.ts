import { describe, vi } from 'vitest'
import { FAMILIES } from '../sandbox/tools.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { testPacketsInMachine } from './packets.js'
import { openVirtualMachine } from './vm.js'

// The first test downloads packages and boots the machine, which may take half an hour if it is slow.
vi.setConfig({ testTimeout: 2_400_000 })

const sandboxFor = useSandbox(['virtual-machine'], undefined, openVirtualMachine)

describe.each(['ipvs', 'iptables'] as const)('a packet in %s mode', (mode) => {
  describe.each(FAMILIES)('over %s', (family) => testPacketsInMachine(sandboxFor, mode, family))
})
