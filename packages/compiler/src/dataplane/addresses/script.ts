import { IPVS_DEVICE } from '@kube-rules/types/internal/ipvs-device'
import { type Change, resourceIdOf } from '../../patch/patch.js'
import type { CommandPhase, PhasedCommand, ToolCommand } from '../netfilter/tool-command.js'
import type { SubsystemCommandOptions } from '../tool-options.js'
import { CREATE_DEVICE_ARGUMENTS, formatDeviceCreation, formatIpBatchLine } from './print.js'
import { parseAddressId } from './resources.js'

/**
 * Returns the `ip` commands that apply changes of the device and its addresses. If the content of the device is known,
 * the device is never removed.
 *
 * If the content is unknown, a second device gets the expected addresses and replaces the first device. The first
 * device is removed with all its addresses of both families. At any time, each expected address is on at least one of
 * the two devices.
 */
export function toAddressCommands(
  changes: readonly Change[],
  { start = 'known' }: Pick<SubsystemCommandOptions, 'start'> = {},
): readonly PhasedCommand[] {
  const created = changes.filter(({ kind }) => kind === 'create')
  const deleted = changes.filter(({ kind }) => kind === 'delete')
  if (start === 'unknown') return replaceDevice(addressesOf(created), created.length > 0)
  const makesDevice = created.some((change) => parseAddressId(resourceIdOf(change)) === undefined)
  return [
    ...(makesDevice ? [{ phase: 'provide', command: DEVICE_RUN } as const] : []),
    ...batchRuns('provide', 'bind addresses', addressLines('add', addressesOf(created))),
    ...batchRuns('withdraw', 'unbind addresses', addressLines('del', addressesOf(deleted))),
  ]
}

const DEVICE_RUN: ToolCommand = {
  tool: 'ip',
  args: CREATE_DEVICE_ARGUMENTS,
  input: '',
  purpose: `create the dummy device ${IPVS_DEVICE}`,
  skipIf: ['link', 'show', 'dev', IPVS_DEVICE],
}

/** The device that gets the addresses and then replaces kube-ipvs0. A device name has 15 characters at most. */
const SPARE_DEVICE = 'kube-ipvs0-new'

function replaceDevice(addresses: readonly string[], isWanted: boolean): readonly PhasedCommand[] {
  if (!isWanted)
    return [{ phase: 'withdraw', command: removal(IPVS_DEVICE, 'remove the device of the Service addresses') }]
  const makeSpare: ToolCommand = {
    ...ipRun(formatDeviceCreation(SPARE_DEVICE)),
    purpose: 'create a replacement device',
  }
  return [
    { phase: 'provide', command: DEVICE_RUN },
    { phase: 'provide', command: removal(SPARE_DEVICE, 'remove leftovers of an earlier run') },
    { phase: 'provide', command: makeSpare },
    ...batchRuns('provide', 'bind addresses', addressLines('add', addresses, SPARE_DEVICE)),
    ...batchRuns('provide', 'rename the replacement device', [
      `link delete ${IPVS_DEVICE}\n`,
      `link set ${SPARE_DEVICE} name ${IPVS_DEVICE}\n`,
    ]),
  ]
}

function removal(device: string, purpose: string): ToolCommand {
  return { ...ipRun(['link', 'delete', device]), purpose, allowFailure: true }
}

function ipRun(args: readonly string[]): Pick<ToolCommand, 'tool' | 'args' | 'input'> {
  return { tool: 'ip', args, input: '' }
}

function addressesOf(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => parseAddressId(resourceIdOf(change)) ?? [])
}

function addressLines(command: 'add' | 'del', addresses: readonly string[], device?: string): readonly string[] {
  return addresses.map((address) => formatIpBatchLine(command, address, device))
}

function batchRuns(phase: CommandPhase, purpose: string, lines: readonly string[]): readonly PhasedCommand[] {
  if (lines.length === 0) return []
  return [{ phase, command: { tool: 'ip', args: ['-batch', '-'], input: lines.join(''), purpose } }]
}
