import { describe, expect, it } from 'vitest'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { COURSES, readSetFor } from './courses.js'
import { endure, showReport } from './endurance.js'

const { events, seed } = readSetFor({ events: 50, seed: 1 })

describe('a node with failures of every kind', () => {
  const sandboxFor = useSandbox(['iptables-nft', 'iptables-legacy', 'nft', 'network', 'ipset'])

  it.for(COURSES)(
    'has the rules of a fresh load after each successful sync: $name',
    { timeout: 24 * 3_600_000 },
    async ({ name, ...course }, context) => {
      const progress = showReport(name)
      const report = await endure(await sandboxFor(context), { ...course, ipvs: 'ignored', events, seed, progress })
      progress(report)
      const { drift, unexplained } = report
      expect({ events: report.events, drift, unexplained }).toEqual({ events, drift: [], unexplained: [] })
    },
  )
})
