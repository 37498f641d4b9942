import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { encodeRequestHash } from '../../src/question/permalink.js'
import { example } from '../support/answers.js'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser } from '../support/browser.js'
import { manyServices } from '../support/pastes.js'

const objectsEditor = (page: Page) => page.getByRole('textbox', { name: 'Objects of the cluster' })

describeInBrowser('the choices', ({ open }) => {
  // The last size corresponds to 1440 × 900 pixels at a zoom of 200 %.
  it.each([
    [1440, 900],
    [390, 844],
    [720, 450],
  ])('show the whole text of the chosen value at %i x %i pixels', async (width, height) => {
    const { page } = await open({ ...example('every-frontend'), mode: 'ipvs' }, { viewport: { width, height } })
    const cut = await page.locator('select:visible').evaluateAll((all) =>
      all.flatMap((select) => {
        const shown = (select as HTMLSelectElement).selectedOptions[0]?.label ?? ''
        const whole = document.createElement('select')
        whole.append(new Option(shown))
        select.after(whole)
        const [needed, given] = [whole.offsetWidth, (select as HTMLSelectElement).offsetWidth]
        whole.remove()
        return given < needed ? [`${shown}: ${given} of ${needed}`] : []
      }),
    )
    expect(cut).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
  })
})

describeInBrowser('invalid objects', ({ open }) => {
  it('leave the last effects and differences in grey, and are reported once', async () => {
    const { objects } = example('node-port')
    const edited = objects.replace('externalTrafficPolicy: Cluster', 'externalTrafficPolicy: Local')
    const { page } = await open({ objects: edited, before: objects, pane: 'change', packet: 'from pod → node:30080' })
    await objectsEditor(page).press('Control+End')
    await page.keyboard.insertText('\nx: [\n')
    await answered(page)
    expect(await page.locator('#panel-change.stale .effect').innerText()).toContain('external traffic policy')
    expect(await page.getByText(/line \d+, column \d+/).count()).toBe(1)
    expect(await findViolations(page)).toEqual([])
    await objectsEditor(page).press('Control+z')
    await answered(page)
    expect(await page.locator('.stale').count()).toBe(0)
  })
})

describeInBrowser('the page', ({ open }) => {
  it('does not move under the pointer at the first keystroke', async () => {
    const { page } = await open(example('node-port'))
    const top = async () => (await page.locator('main').boundingBox())?.y
    const before = await top()
    await objectsEditor(page).press('Control+End')
    await page.keyboard.type('#')
    await answered(page)
    expect(await top()).toBe(before)
  })

  it('aligns line numbers with lines outside of the window', async () => {
    const { page } = await open(undefined, { viewport: { width: 390, height: 844 } })
    const heightOf = (selector: string) =>
      page
        .locator(`.panel.rules ${selector}`)
        .nth(5)
        .evaluate((each) => each.getBoundingClientRect().height)
    expect(
      await page.locator('.panel.rules .cm-editor').evaluate((each) => each.getBoundingClientRect().top),
    ).toBeGreaterThan(844)
    await expect.poll(() => heightOf('.cm-lineNumbers .cm-gutterElement')).toBeCloseTo(await heightOf('.cm-line'), 1)
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
  })
})

describeInBrowser('many Services', ({ open }) => {
  it('have numbers of two digits on one line', async () => {
    const { page } = await open({ objects: manyServices(48), packet: 's31' })
    const numbers = page.locator('.explanation .port-number')
    expect(await numbers.first().innerText()).toMatch(/^\d\d$/)
    const heights = await numbers.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
    expect(Math.max(...heights)).toBeLessThan(20)
  })

  it('are found by a part of their name, and counted where only some are listed', async () => {
    const { page } = await open({ objects: manyServices(300), packet: '' })
    expect(await page.locator('.legend .more').innerText()).toContain('and 220 more')
    expect(await page.locator('.packets .hint').innerText()).toContain('any of the 300 Services')
    const values = await page
      .locator('#packets option')
      .evaluateAll((all) => all.map((each) => each.getAttribute('value')))
    expect(values).toContain('from pod → default/s299')
    await page.locator('#packet').fill('from pod → default/s299')
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to 10.244.1.50:8080')
  })
})

describeInBrowser('the drawing of a path', ({ open, openAt }) => {
  it.each(['nftables', 'ipvs'])('has whole headings in %s mode', async (mode) => {
    const { page } = await open({ ...example('node-port'), mode })
    const headings = await page.locator('.path-drawing .hook').allTextContents()
    expect(headings.length).toBeGreaterThan(1)
    expect(headings.join()).not.toContain('…')
  })

  it.each(['iptables', 'nftables'])('has whole addresses in a frame of 700 pixels in %s mode', async (mode) => {
    const hash = await encodeRequestHash({ ...example('node-port'), mode })
    const { page } = await openAt(`${hash}&view=path`, { viewport: { width: 700, height: 400 } })
    const addresses = await page
      .locator('.path-drawing :is(.addresses, .end) text')
      .evaluateAll((all) => all.map((each) => each.firstChild?.textContent ?? ''))
    expect(addresses.length).toBeGreaterThan(3)
    expect(addresses.join()).not.toContain('…')
  })
})
