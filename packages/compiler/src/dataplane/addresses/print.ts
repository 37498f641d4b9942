import { toHostPrefix } from '@kube-rules/types/internal/cidr'
import { parseIp } from '@kube-rules/types/internal/ip'
import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import { invariant } from '../../internal/invariant.js'
import type { AddressState } from './ast.js'

/** The arguments of `ip` that create the device. If the device already exists, the command fails without any effect. */
export const CREATE_DEVICE_ARGUMENTS: readonly string[] = formatDeviceCreation(IPVS_DEVICE)

export function formatDeviceCreation(device: string): readonly string[] {
  return ['link', 'add', device, 'type', 'dummy']
}

/**
 * Prints the state as input for `ip -force -batch -`, one command per line: the device, then its addresses. Mirrors
 * `EnsureDummyDevice` and `EnsureAddressBind` of kube-proxy v1.30.
 */
export function printIpBatch({ addresses }: AddressState): string {
  return [
    `${CREATE_DEVICE_ARGUMENTS.join(' ')}\n`,
    ...addresses.map((address) => formatIpBatchLine('add', address)),
  ].join('')
}

/** Formats a batch line with its newline: `address add 10.96.0.1/32 dev kube-ipvs0`. Throws for an invalid address. */
export function formatIpBatchLine(command: 'add' | 'del', address: string, device: string = IPVS_DEVICE): string {
  return `address ${command} ${formatHostPrefix(address)} dev ${device}\n`
}

/** Formats an address as a network: `10.96.0.1/32`. Throws for an address that is not canonical. */
export function formatHostPrefix(address: string): string {
  if (parseIp(address)?.text !== address) invariant(false, `${JSON.stringify(address)} cannot be bound`)
  return toHostPrefix(address)
}
