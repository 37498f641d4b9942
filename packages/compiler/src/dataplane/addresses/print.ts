import { familyOf, IPVS_DEVICE, parseIp } from '@kube-rules/types'
import { invariant } from '../../internal/invariant.js'
import type { AddressState } from './ast.js'

/** The arguments of `ip` that make the device. They fail where it exists, which does no harm. */
export const MAKE_DEVICE: readonly string[] = makingDevice(IPVS_DEVICE)

export function makingDevice(device: string): readonly string[] {
  return ['link', 'add', device, 'type', 'dummy']
}

/**
 * The state as input for `ip -force -batch -`, one command on each line: the device, then its addresses. Mirrors
 * `EnsureDummyDevice` and `EnsureAddressBind` of kube-proxy v1.30.
 */
export function printBatch({ addresses }: AddressState): string {
  return [`${MAKE_DEVICE.join(' ')}\n`, ...addresses.map((address) => batchLine('add', address))].join('')
}

/** `address add 10.96.0.1/32 dev kube-ipvs0`, with the end of the line. Throws for what is no address. */
export function batchLine(command: 'add' | 'del', address: string, device: string = IPVS_DEVICE): string {
  return `address ${command} ${hostNetwork(address)} dev ${device}\n`
}

/** `10.96.0.1/32`. Throws for what is no address in its canonical spelling. */
export function hostNetwork(address: string): string {
  if (parseIp(address)?.text !== address) invariant(false, `${JSON.stringify(address)} cannot be bound`)
  return familyOf(address) === 'IPv4' ? `${address}/32` : `${address}/128`
}
