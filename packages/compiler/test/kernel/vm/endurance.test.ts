import { expect, it } from 'vitest'
import { isInReadSet, readSetFor } from '../recovery/courses.js'
import { endure, showReport } from '../recovery/endurance.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { openVirtualMachine } from './vm.js'

const NAME = 'ipvs'
const { events, seed } = readSetFor({ events: 15, seed: 1 })
const sandboxFor = useSandbox(['virtual-machine'], undefined, openVirtualMachine)

it('a node in mode ipvs has the rules of a fresh load after each successful sync, whatever fails', {
  timeout: 24 * 3_600_000,
}, async (context) => {
  if (!isInReadSet(NAME)) return context.skip('another mode is asked for')
  const sandbox = await sandboxFor(context)
  const progress = showReport(NAME)
  const course = { mode: 'ipvs', otherModes: ['iptables', 'nftables'], backend: 'nft', ipvs: 'whole' } as const
  const report = await endure(sandbox, { ...course, events, seed, progress })
  progress(report)
  const { drift, unexplained } = report
  expect({ events: report.events, drift, unexplained }).toEqual({ events, drift: [], unexplained: [] })
})
