import { expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser } from '../support/browser.js'

const story = readExamples().find(({ name }) => name.startsWith('01-'))?.question
const scaled = readExamples().find(({ name }) => name === 'seed-saythx-redis')?.question

describeInBrowser('accessibility of the page', ({ open }) => {
  it.each(['light', 'dark'] as const)('has no axe violations with %s colors', async (colorScheme) => {
    const { page } = await open({ ...story, packet: 'from pod → 10.96.0.10:53/udp' }, { colorScheme })
    for (const pane of ['dump', 'rules', 'change', 'comparison']) {
      await page.locator(`#tab-${pane}`).click()
      await answered(page)
      expect(await findViolations(page), pane).toEqual([])
    }
    await page.getByRole('tab', { name: 'Graph' }).click()
    expect(await findViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Examples' }).click()
    expect(await findViolations(page)).toEqual([])
  })

  // The last size corresponds to 1440 × 900 pixels at a zoom of 200 %.
  it.each([
    [1024, 768],
    [390, 844],
    [720, 450],
  ])('has no axe violations at %i x %i pixels with light and dark colors', async (width, height) => {
    const { page } = await open(
      { ...scaled, against: 'nftables', dump: story?.dump ?? '' },
      { viewport: { width, height } },
    )
    for (const pane of ['rules', 'dump', 'change', 'comparison']) {
      await page.locator(`#tab-${pane}`).click()
      await answered(page)
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect(await findViolations(page), `${pane}, ${colorScheme}`).toEqual([])
      }
    }
  })

  it('has no axe violations after an edit or with invalid input', async () => {
    const { page } = await open({ ...scaled, pane: 'change' })
    expect(await findViolations(page)).toEqual([])
    const wrong = await open({ objects: 'kind: Service\napiVersion: v1\nmetadata: { name: X }\n', packet: 'x' })
    expect(await findViolations(wrong.page)).toEqual([])
  })

  it('fits the page into 360 pixels, without horizontal overflow', async () => {
    const { page } = await open(
      { ...story, packet: 'from pod → 10.96.0.10:53/udp' },
      { viewport: { width: 360, height: 740 } },
    )
    for (const pane of ['dump', 'rules', 'change', 'comparison']) {
      await page.locator(`#tab-${pane}`).click()
      await answered(page)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), pane).toBe(360)
    }
    expect(await findViolations(page)).toEqual([])
    for (const name of ['Examples', 'Copy link']) {
      const box = await page.getByRole('button', { name }).boundingBox()
      expect((box?.x ?? 999) + (box?.width ?? 0)).toBeLessThanOrEqual(360)
    }
  })

  it('lets the keyboard reach and operate every control', async () => {
    const { page } = await open()
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Examples')
    await page.keyboard.press('Enter')
    expect(await page.locator('dialog[open]').count()).toBe(1)
    await page.keyboard.press('Escape')
    await page.locator('#tab-rules').focus()
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toBe('Before and after')
    await page.keyboard.press('ArrowLeft')
    await answered(page)
    await page.locator('.explanation [role=treeitem]').first().focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toContain('PREROUTING nat')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator('.panel.rules .cm-line.marked').count()).toBeGreaterThan(0)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowLeft')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-expanded'))).toBe('false')
    await page.keyboard.press('ArrowRight')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-expanded'))).toBe('true')
    // Tab leaves the editor.
    await page.locator('.objects .cm-content').first().focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.closest('.cm-content') === null)).toBe(true)
  })

  it('announces each new result to screen readers', async () => {
    const { page } = await open()
    expect(await page.locator('.sentence').getAttribute('aria-live')).toBe('polite')
    expect(await page.locator('[role=tree]').count()).toBeGreaterThan(0)
    expect(await page.locator('[role=treeitem][aria-level="2"]').count()).toBeGreaterThan(0)
  })

  it('stores the selected color scheme', async () => {
    const { page } = await open(undefined, { colorScheme: 'light' })
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    const light = await background()
    await page.getByRole('button', { name: 'Colours: auto' }).click()
    await page.getByRole('button', { name: 'Colours: light' }).click()
    const dark = await background()
    expect(dark).not.toBe(light)
    await page.reload()
    await answered(page)
    expect(await background()).toBe(dark)
  })

  it('prints the contents of the page on paper', async () => {
    const { page } = await open()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('.settings').isVisible()).toBe(false)
    expect(await page.locator('.sentence').isVisible()).toBe(true)
  })
})
