import type { NodeFacts } from '../../../../src/program/facts.js'
import type { KernelPacket } from '../../../../src/program/kernel-packet.js'
import type { StateContext } from '../../../../src/program/state-context.js'
import { nodeFacts, kernelPacket as packetAtStart } from '../../../program/programs.js'

/** Builds an external TCP packet to 10.96.0.1:80 that just arrived, with overrides. */
export function kernelPacket(fields: Partial<KernelPacket> = {}): KernelPacket {
  return packetAtStart({
    source: '203.0.113.2',
    sourcePort: 40000,
    destination: '10.96.0.1',
    originalDestination: '10.96.0.1',
    inInterface: 'eth0',
    ...fields,
  })
}

/** A packet that a process of the node sends to a Service. */
export const OF_NODE: Partial<KernelPacket> = { source: '192.168.0.2', inInterface: '', sentByNode: true }
/** A packet that the node sent to itself, after it entered through `lo`. */
export const BY_LOOPBACK: Partial<KernelPacket> = { ...OF_NODE, destination: '192.168.0.2', inInterface: 'lo' }
/** A packet after DNAT to an endpoint. */
export const TO_ENDPOINT: Partial<KernelPacket> = {
  destination: '10.244.1.1',
  destinationPort: 8080,
  translatedBy: 'dnat',
}
export const UNTRACKED: Partial<KernelPacket> = { untracked: true }

/** Builds facts with 192.168.0.2 and 127.0.0.1 as local addresses, and 192.168.0.9 as unknown. */
export function facts(fields: Partial<NodeFacts> = {}): NodeFacts {
  return nodeFacts({
    isLocal: (address) =>
      address === '192.168.0.9' ? 'unknown' : address === '192.168.0.2' || address === '127.0.0.1' ? 'yes' : 'no',
    ...fields,
  })
}

/** A complete state without sets. */
export const NO_SETS: StateContext = { isLeftOut: () => false, lookUpSet: () => ({ kind: 'unknown' }) }
