import type { KernelPacket } from '../../src/dataplane/netfilter/kernel-packet.js'
import type { Knowledge } from '../../src/dataplane/netfilter/knowledge.js'
import type { Passage } from '../../src/dataplane/netfilter/passage.js'

/** A TCP packet from outside to 10.96.0.1:80 that has just come in, but for the fields given. */
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

/** A node of which only 192.168.0.2 and 127.0.0.1 are known to be its own, and 192.168.0.9 not to be known. */
export function knowledge(fields: Partial<Knowledge> = {}): Knowledge {
  return {
    isLocal: (address) =>
      address === '192.168.0.9' ? 'unknown' : address === '192.168.0.2' || address === '127.0.0.1' ? 'yes' : 'no',
    inSet: () => 'unknown',
    secondsSinceSeen: () => undefined,
    persistentServer: () => undefined,
    ...fields,
  }
}

/** At PREROUTING, but for the fields given. */
export function passage(packet: Partial<KernelPacket> = {}, fields: Partial<Omit<Passage, 'packet'>> = {}): Passage {
  return { packet: kernelPacket(packet), hook: 'PREROUTING', knowledge: knowledge(), ...fields }
}
