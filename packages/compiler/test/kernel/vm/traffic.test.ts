import { expect, it } from 'vitest'
import { randomOf } from '../recovery/random.js'
import { isRequested, requestedNumbers } from '../recovery/scenarios.js'
import { touchOther } from '../recovery/traffic.js'
import { useSandbox } from '../sandbox/use-sandbox.js'
import { connectionsLostBy } from './connections.js'
import { openVirtualMachine } from './vm.js'

const { updates, fullSyncs } = requestedNumbers({ updates: 8, fullSyncs: 4 })
const sandboxFor = useSandbox(['virtual-machine'], undefined, openVirtualMachine)

it('ipvs connections survive updates, full syncs, failures and syncs from dumps', {
  timeout: 3_600_000,
}, async (context) => {
  if (!isRequested('ipvs')) return context.skip('another mode is requested')
  const random = randomOf(1)
  const every = Math.max(1, Math.floor(updates / fullSyncs))
  const lost = await connectionsLostBy(await sandboxFor(context), async ({ tracker, sync }) => {
    for (let index = 0; index < updates; index++) {
      touchOther(tracker, random)
      // The update before this loop clears the table. Only the next update, with index 0, confirms its success, so that
      // `markFailed` must not be called earlier.
      if (index % every === every - 1) tracker.markFailed()
      await sync(index % (2 * every) === every - 1)
    }
  })
  console.log(`ipvs: ${updates} updates, ${fullSyncs} full syncs`)
  expect(lost).toEqual([])
})
