import { IPVS_DEVICE } from '@kube-rules/types'
import { type Change, idOf } from '../../patch/patch.js'
import type { Phase, PhasedRun, Run } from '../netfilter/run.js'
import type { ScriptOptions } from '../tool-options.js'
import { batchLine, MAKE_DEVICE, makingDevice } from './print.js'
import { addressOfId } from './resources.js'

/**
 * The runs of `ip` that carry out changes of the device and its addresses. Where it is known what the device has, it is never
 * removed.
 *
 * Where nothing is known, a second device gets the addresses that are wanted and then takes the place of the first, which goes
 * with whatever is bound to it, of both families: at every moment one of the two has each address that stays.
 */
export function scriptAddresses(
  changes: readonly Change[],
  { start = 'known' }: Pick<ScriptOptions, 'start'> = {},
): readonly PhasedRun[] {
  const created = changes.filter(({ kind }) => kind === 'create')
  const deleted = changes.filter(({ kind }) => kind === 'delete')
  if (start === 'unknown') return replaceDevice(addressesOf(created), created.length > 0)
  const makesDevice = created.some((change) => addressOfId(idOf(change)) === undefined)
  return [
    ...(makesDevice ? [{ phase: 'provide', run: DEVICE_RUN } as const] : []),
    ...batchRuns('provide', 'bind addresses', addressLines('add', addressesOf(created))),
    ...batchRuns('withdraw', 'unbind addresses', addressLines('del', addressesOf(deleted))),
  ]
}

const DEVICE_RUN: Run = {
  tool: 'ip',
  args: MAKE_DEVICE,
  input: '',
  purpose: 'make the device of the addresses',
  unless: ['link', 'show', 'dev', IPVS_DEVICE],
}

/** The device that gets the addresses and then takes the place of the other one. Names have 15 characters at most. */
const SPARE_DEVICE = 'kube-ipvs0-new'

function replaceDevice(addresses: readonly string[], isWanted: boolean): readonly PhasedRun[] {
  if (!isWanted) return [{ phase: 'withdraw', run: removal(IPVS_DEVICE, 'remove the device of the addresses') }]
  const makeSpare: Run = { ...ipRun(makingDevice(SPARE_DEVICE)), purpose: 'make a device that takes its place' }
  return [
    { phase: 'provide', run: DEVICE_RUN },
    { phase: 'provide', run: removal(SPARE_DEVICE, 'remove what an earlier run left') },
    { phase: 'provide', run: makeSpare },
    ...batchRuns('provide', 'bind addresses', addressLines('add', addresses, SPARE_DEVICE)),
    ...batchRuns('provide', 'put the device in its place', [
      `link delete ${IPVS_DEVICE}\n`,
      `link set ${SPARE_DEVICE} name ${IPVS_DEVICE}\n`,
    ]),
  ]
}

function removal(device: string, purpose: string): Run {
  return { ...ipRun(['link', 'delete', device]), purpose, mayFail: true }
}

function ipRun(args: readonly string[]): Pick<Run, 'tool' | 'args' | 'input'> {
  return { tool: 'ip', args, input: '' }
}

function addressesOf(changes: readonly Change[]): readonly string[] {
  return changes.flatMap((change) => addressOfId(idOf(change)) ?? [])
}

function addressLines(command: 'add' | 'del', addresses: readonly string[], device?: string): readonly string[] {
  return addresses.map((address) => batchLine(command, address, device))
}

function batchRuns(phase: Phase, purpose: string, lines: readonly string[]): readonly PhasedRun[] {
  if (lines.length === 0) return []
  return [{ phase, run: { tool: 'ip', args: ['-batch', '-'], input: lines.join(''), purpose } }]
}
