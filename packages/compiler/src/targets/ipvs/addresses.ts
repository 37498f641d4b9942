import { familyOf, parseIp } from '@kube-rules/types'
import { invariant } from '../../internal/invariant.js'
import { IPVS_DEVICE } from './node-addresses.js'
import type { IpvsModeState } from './state.js'

/**
 * The commands that make the device of the Services' addresses and put these on it, each as an argument list:
 * `['ip', 'address', 'add', '10.96.0.1/32', 'dev', 'kube-ipvs0']`. The device comes first; that command fails where the
 * device exists, which does no harm. Mirrors `EnsureDummyDevice` and `EnsureAddressBind` of kube-proxy v1.30.
 */
export function addressCommands({ boundAddresses }: IpvsModeState): readonly (readonly string[])[] {
  return [
    ['ip', 'link', 'add', IPVS_DEVICE, 'type', 'dummy'],
    ...boundAddresses.map((address) => ['ip', 'address', 'add', hostNetwork(address), 'dev', IPVS_DEVICE]),
  ]
}

/** The same commands as input for `ip -force -batch -`, one on each line. */
export function printAddressBatch(state: IpvsModeState): string {
  return addressCommands(state)
    .map(([, ...words]) => `${words.join(' ')}\n`)
    .join('')
}

function hostNetwork(address: string): string {
  invariant(parseIp(address)?.text === address, `${JSON.stringify(address)} cannot be bound`)
  return familyOf(address) === 'IPv4' ? `${address}/32` : `${address}/128`
}
