import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { computed, describeInBrowser } from '../support/browser.js'

const [FIRST, CHANGES] = [20, 100]

describeInBrowser('the memory of the page', ({ open }) => {
  it('has no elements of earlier packets', async () => {
    const { page, context } = await open(example('node-port'))
    const session = await context.newCDPSession(page)
    await session.send('Performance.enable')
    const countNodes = async () => {
      await session.send('HeapProfiler.collectGarbage')
      const { metrics } = await session.send('Performance.getMetrics')
      return metrics.find(({ name }) => name === 'Nodes')?.value ?? 0
    }
    const changePackets = async (count: number) => {
      for (let index = 0; index < count; index++) {
        await page.locator('#packet').fill(index % 2 === 0 ? 'from pod → node:30080' : 'from outside → node:30080')
        await computed(page)
      }
    }
    await changePackets(FIRST)
    const before = await countNodes()
    await changePackets(CHANGES)
    // A drawing has more than 60 elements.
    expect((await countNodes()) - before).toBeLessThan(10 * CHANGES)
  })
})
