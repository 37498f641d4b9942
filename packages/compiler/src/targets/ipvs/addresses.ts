import { hostNetwork, IPVS_DEVICE, parseIp } from '@kube-rules/types'
import type { Stage } from '../../dataplane/netfilter/stage.js'
import { type Change, idOf } from '../../diff/patch.js'
import { invariant } from '../../internal/invariant.js'
import { addressOfId } from './address-resources.js'
import type { IpvsModeState } from './state.js'

/**
 * The commands that make the device of the Services' addresses and put these on it, each as an argument list:
 * `['ip', 'address', 'add', '10.96.0.1/32', 'dev', 'kube-ipvs0']`. The device comes first; that command fails where the
 * device exists, which does no harm. Mirrors `EnsureDummyDevice` and `EnsureAddressBind` of kube-proxy v1.30.
 */
export function addressCommands({ boundAddresses }: IpvsModeState): readonly (readonly string[])[] {
  return [
    [DEVICE_STAGE.tool, ...DEVICE_STAGE.args],
    ...boundAddresses.map((address) => ['ip', 'address', 'add', networkToBind(address), 'dev', IPVS_DEVICE]),
  ]
}

/** The same commands as input for `ip -force -batch -`, one on each line. */
export function printAddressBatch(state: IpvsModeState): string {
  const lines = state.boundAddresses.map((address) => batchLine('add', address))
  return [`${DEVICE_STAGE.args.join(' ')}\n`, ...lines].join('')
}

/** What comes before rules lead to the addresses, and what comes once none does. */
export interface AddressStages {
  readonly additions: readonly Stage[]
  readonly removals: readonly Stage[]
}

/**
 * The runs of `ip` that carry out the changes of the device and its addresses. With `ensure` an address that is to be
 * added may be there already. The device is never removed.
 */
export function planAddresses(
  changes: readonly Change[],
  { ensure = false }: { readonly ensure?: boolean | undefined } = {},
): AddressStages {
  const created = changes.filter(({ kind }) => kind === 'create')
  const deleted = changes.filter(({ kind }) => kind === 'delete')
  const makesDevice = created.some((change) => addressOfId(idOf(change)) === undefined)
  return {
    additions: [
      ...(makesDevice ? [DEVICE_STAGE] : []),
      ...batchStages('bind addresses', created, ensure ? 'replace' : 'add'),
    ],
    removals: batchStages('unbind addresses', deleted, 'del'),
  }
}

const DEVICE_STAGE: Stage = {
  tool: 'ip',
  args: ['link', 'add', IPVS_DEVICE, 'type', 'dummy'],
  input: '',
  purpose: 'make the device of the addresses',
  unless: ['link', 'show', 'dev', IPVS_DEVICE],
}

function batchStages(purpose: string, changes: readonly Change[], command: string): readonly Stage[] {
  const addresses = changes.flatMap((change) => addressOfId(idOf(change)) ?? [])
  if (addresses.length === 0) return []
  const lines = addresses.map((address) => batchLine(command, address))
  return [{ tool: 'ip', args: ['-batch', '-'], input: lines.join(''), purpose }]
}

function batchLine(command: string, address: string): string {
  return `address ${command} ${networkToBind(address)} dev ${IPVS_DEVICE}\n`
}

function networkToBind(address: string): string {
  if (parseIp(address)?.text !== address) invariant(false, `${JSON.stringify(address)} cannot be bound`)
  return hostNetwork(address)
}
