import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'
import { example } from '../support/answers.js'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser } from '../support/browser.js'

const { objects, packet } = example('node-port')
const RULES = createEngine().answer('rules', { ...DEFAULT_REQUEST, objects }).text
const EMPTIED = RULES.replace(/-A KUBE-SVC-\S+ -m comment.*\n/g, '')

describeInBrowser('a dump that is pasted after objects', ({ open }) => {
  it('has the packet go through it, with the diagnosis above the paths and both outcomes', async () => {
    const { page, faults } = await open({ objects, packet, pane: 'dump' })
    await page.getByRole('textbox', { name: 'Node rules' }).focus()
    await page.keyboard.insertText(EMPTIED)
    await answered(page)
    const pane = page.locator('.pane.packet')
    const through = page.getByRole('button', { name: 'through the dump' })
    expect(await through.getAttribute('aria-pressed')).toBe('true')
    const sides = page.getByRole('group', { name: 'The node and the objects differ' })
    expect(await sides.innerText()).toContain('The objects: goes to one of 2 endpoints')
    const top = async (selector: string) => (await pane.locator(selector).first().boundingBox())?.y ?? 0
    expect(await top('.headline .tree')).toBeLessThan(await top('.paths'))
    await sides.getByRole('button', { name: /^The objects/ }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 2 endpoints')
    expect(await through.getAttribute('aria-pressed')).toBe('false')
    expect(await findViolations(page)).toEqual([])
    expect(faults).toEqual([])
  })

  it('has a button that cancels the work while a long dump is read', async () => {
    const { page } = await open({ objects, packet, pane: 'dump' })
    await page.getByRole('textbox', { name: 'Node rules' }).focus()
    // Until the click, no question about the dump reaches the worker, so the work cannot end before.
    await page.evaluate(() => {
      const { postMessage } = Worker.prototype
      Worker.prototype.postMessage = function (message: { part: string }, ...rest: never[]) {
        if (message.part !== 'dump') postMessage.call(this, message, ...rest)
      }
      const release = () => Object.assign(Worker.prototype, { postMessage })
      document.addEventListener('click', release, { capture: true, once: true })
    })
    await page.evaluate(
      (text) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData('text/plain', text)
        document.activeElement?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
      },
      `${RULES}${'# a comment of another program\n'.repeat(7000)}`,
    )
    await page.getByText('Reading 0.2 MB').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('region', { name: 'Report' }).getByText('Paste a dump of a node').waitFor()
    await answered(page)
    expect(await page.getByRole('button', { name: 'through the dump' }).isHidden()).toBe(true)
  })

  it('lists facts that it does not contain, and a click decides them', async () => {
    const dump = RULES.replace('-A FORWARD', '-A FORWARD -i cali+ -j DROP\n-A FORWARD')
    const { page } = await open({ objects, packet, dump, through: 'dump', pane: 'dump' })
    await page.getByRole('button', { name: 'Yes: -A FORWARD -i cali+ -j DROP matches' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toMatch(/ is silently dropped/)
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'No: -A FORWARD -i cali+ -j DROP matches' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).not.toContain('dropped')
  })
})
