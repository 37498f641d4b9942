import type { EvaluationContext } from '../../src/dataplane/netfilter/evaluation-context.js'
import type { HookPacket } from '../../src/dataplane/netfilter/hook-packet.js'
import type { KernelPacket } from '../../src/dataplane/netfilter/kernel-packet.js'

/** Builds an external TCP packet to 10.96.0.1:80 that just arrived, with overrides. */
export function kernelPacket(fields: Partial<KernelPacket> = {}): KernelPacket {
  return {
    family: 'IPv4',
    protocol: 'tcp',
    source: '203.0.113.2',
    sourcePort: 40000,
    destination: '10.96.0.1',
    destinationPort: 80,
    inInterface: 'eth0',
    bridged: 'no',
    mark: 0,
    masqueraded: false,
    destinationDecided: 'no',
    sourceDecided: 'no',
    ...fields,
  }
}

/** Builds known facts with 192.168.0.2 and 127.0.0.1 as local addresses, and 192.168.0.9 as unknown. */
export function facts(fields: Partial<EvaluationContext> = {}): EvaluationContext {
  return {
    isLocal: (address) =>
      address === '192.168.0.9' ? 'unknown' : address === '192.168.0.2' || address === '127.0.0.1' ? 'yes' : 'no',
    inSet: () => 'unknown',
    secondsSinceSeen: () => undefined,
    persistentServer: () => undefined,
    ...fields,
  }
}

/** Builds a passage at PREROUTING, with overrides. */
export function passage(
  packet: Partial<KernelPacket> = {},
  fields: Partial<Omit<HookPacket, 'packet'>> = {},
): HookPacket {
  return { packet: kernelPacket(packet), hook: 'PREROUTING', facts: facts(), ...fields }
}
