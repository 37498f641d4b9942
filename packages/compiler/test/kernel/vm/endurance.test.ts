import { describe, expect, it } from 'vitest'
import { askedFor } from '../recovery/courses.js'
import { endure, showReport } from '../recovery/endurance.js'
import { useWorld } from '../world/use-world.js'
import { openVirtualMachine } from './vm.js'

const { events, seed } = askedFor({ events: 20, seed: 1 })

describe('a node in mode ipvs on which everything goes wrong', () => {
  const worldFor = useWorld(['virtual-machine'], undefined, openVirtualMachine)

  it('holds what a fresh load gives after each successful sync', { timeout: 24 * 3_600_000 }, async (context) => {
    const progress = showReport('ipvs')
    const course = { mode: 'ipvs', otherModes: ['iptables'], backend: 'nft', ipvs: 'whole' } as const
    const report = await endure(await worldFor(context), { ...course, events, seed, progress })
    progress(report)
    const { drift, unexplained } = report
    expect({ events: report.events, drift, unexplained }).toEqual({ events, drift: [], unexplained: [] })
  })
})
