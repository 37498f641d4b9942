import { describe, expect, it } from 'vitest'
import { requireCapabilities } from '../sandbox/capabilities.js'
import { openSandbox } from '../sandbox/sandbox.js'
import { requestedNumbers, SCENARIOS } from './scenarios.js'
import { trafficThroughUpdates } from './traffic.js'

const { updates, fullSyncs } = requestedNumbers({ updates: 20, fullSyncs: 4 })

describe('requests to unchanged Services', () => {
  it.for(SCENARIOS.filter(({ ipvs }) => ipvs === 'ignored'))(
    'all succeed during updates and full syncs: $name',
    async ({ name, ...scenario }, context) => {
      await requireCapabilities(context, ['iptables-nft', 'iptables-legacy', 'nft', 'network', 'conntrack'])
      const sandbox = openSandbox()
      try {
        const { requests, failed } = await trafficThroughUpdates(sandbox, {
          ...scenario,
          updates,
          fullSyncs,
        })
        console.log(`${name}: ${updates} updates, ${fullSyncs} full syncs; requests: ${JSON.stringify(requests)}`)
        expect(failed).toEqual({})
        for (const count of Object.values(requests)) expect(count).toBeGreaterThan(8)
      } finally {
        await sandbox.close()
      }
    },
  )
})
