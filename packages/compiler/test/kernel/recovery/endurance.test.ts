import { describe, expect, it } from 'vitest'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { endure, showReport } from './endurance.js'
import { requestedNumbers, SCENARIOS } from './scenarios.js'

const numbers = requestedNumbers({ events: 50, eventsPerSync: 3, seed: 1 })

describe('a node on which commands fail in every possible manner', () => {
  const sandboxFor = useSandbox(['iptables-nft', 'iptables-legacy', 'nft', 'network', 'ipset'])

  it.for(SCENARIOS)(
    'has the rules of a full load after each successful sync: $name',
    { timeout: 24 * 3_600_000 },
    async ({ name, ...scenario }, context) => {
      const progress = showReport(name)
      const report = await endure(await sandboxFor(context), { ...scenario, ...numbers, progress })
      progress(report)
      const { drift, unexplained } = report
      expect({ events: report.events, drift, unexplained }).toEqual({
        events: numbers.events,
        drift: [],
        unexplained: [],
      })
    },
  )
})
