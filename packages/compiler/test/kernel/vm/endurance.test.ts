import { expect, it } from 'vitest'
import { endure, showReport } from '../recovery/endurance.js'
import { isRequested, requestedNumbers } from '../recovery/scenarios.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { openVirtualMachine } from './vm.js'

const NAME = 'ipvs'
const numbers = requestedNumbers({ events: 15, eventsPerSync: 3, seed: 1 })
const SECONDS_PER_EVENT = 20
const sandboxFor = useSandbox(['virtual-machine'], undefined, () =>
  openVirtualMachine(600 + numbers.events * SECONDS_PER_EVENT),
)

it('a node in ipvs mode has the rules of a full load after each successful sync', {
  timeout: 24 * 3_600_000,
}, async (context) => {
  if (!isRequested(NAME)) return context.skip('another mode is requested')
  const sandbox = await sandboxFor(context)
  const progress = showReport(NAME)
  const scenario = { mode: 'ipvs', otherModes: ['iptables', 'nftables'], backend: 'nft', ipvs: 'whole' } as const
  const report = await endure(sandbox, { ...scenario, ...numbers, progress })
  progress(report)
  const { drift, unexplained } = report
  expect({ events: report.events, drift, unexplained }).toEqual({ events: numbers.events, drift: [], unexplained: [] })
})
