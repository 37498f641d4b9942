import { IPVS_DEVICE } from '@kube-rules/types'
import { type Change, idOf } from '../../diff/patch.js'
import type { ScriptOptions } from '../language.js'
import type { Phase, PhasedRun, Run } from '../netfilter/run.js'
import { batchLine, MAKE_DEVICE } from './print.js'
import { addressOfId } from './resources.js'

/**
 * The runs of `ip` that carry out changes of the device and its addresses. With `ensure` an address that is to be added may
 * be there already. The device is never removed.
 */
export function scriptAddresses(
  changes: readonly Change[],
  { ensure = false }: Pick<ScriptOptions, 'ensure'> = {},
): readonly PhasedRun[] {
  const created = changes.filter(({ kind }) => kind === 'create')
  const deleted = changes.filter(({ kind }) => kind === 'delete')
  const makesDevice = created.some((change) => addressOfId(idOf(change)) === undefined)
  return [
    ...(makesDevice ? [{ phase: 'provide', run: DEVICE_RUN } as const] : []),
    ...batchRuns('provide', 'bind addresses', created, ensure ? 'replace' : 'add'),
    ...batchRuns('withdraw', 'unbind addresses', deleted, 'del'),
  ]
}

const DEVICE_RUN: Run = {
  tool: 'ip',
  args: MAKE_DEVICE,
  input: '',
  purpose: 'make the device of the addresses',
  unless: ['link', 'show', 'dev', IPVS_DEVICE],
}

function batchRuns(
  phase: Phase,
  purpose: string,
  changes: readonly Change[],
  command: 'add' | 'replace' | 'del',
): readonly PhasedRun[] {
  const addresses = changes.flatMap((change) => addressOfId(idOf(change)) ?? [])
  if (addresses.length === 0) return []
  const input = addresses.map((address) => batchLine(command, address)).join('')
  return [{ phase, run: { tool: 'ip', args: ['-batch', '-'], input, purpose } }]
}
