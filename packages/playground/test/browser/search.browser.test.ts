import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { findViolations } from '../support/axe.js'
import { describeInBrowser } from '../support/browser.js'

const rules = (page: Page) => page.getByRole('textbox', { name: 'Rules', exact: true })
const search = (page: Page) => page.getByRole('textbox', { name: 'Search in the editor' })
const currentLine = (page: Page) => page.locator('.panel.rules .cm-activeLine').innerText()

describeInBrowser('the search in an editor', ({ open }) => {
  it('selects each match in turn, in both directions, and marks all of them', async () => {
    const { page, faults } = await open(example('node-port'))
    await rules(page).press('Control+Home')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('dnat --TO-destination')
    await expect.poll(() => page.locator('.panel.rules .match').count()).toBe(2)
    await page.keyboard.press('Enter')
    await expect.poll(() => currentLine(page)).toContain('10.244.1.5:8080')
    await page.keyboard.press('F3')
    await expect.poll(() => currentLine(page)).toContain('10.244.2.7:8080')
    // The search continues with the first match.
    await page.getByRole('button', { name: 'Next match' }).click()
    await expect.poll(() => currentLine(page)).toContain('10.244.1.5:8080')
    await page.getByRole('button', { name: 'Previous match' }).click()
    await expect.poll(() => currentLine(page)).toContain('10.244.2.7:8080')
    expect(await findViolations(page)).toEqual([])
    expect(faults).toEqual([])
  })

  it('finds matches outside of the window, and closes by Escape', async () => {
    const { page } = await open({ ...example('every-frontend'), pane: 'rules' })
    await rules(page).press('Control+Home')
    await page.keyboard.press('Control+f')
    await page.keyboard.type('masquerade --random-fully')
    await page.keyboard.press('Enter')
    await expect.poll(() => currentLine(page)).toContain('MASQUERADE --random-fully')
    await page.keyboard.press('Escape')
    expect(await search(page).count()).toBe(0)
    expect(await page.locator('.match').count()).toBe(0)
    // The selected text is the next search.
    await page.keyboard.press('Control+f')
    expect((await search(page).inputValue()).toLowerCase()).toBe('masquerade --random-fully')
  })
})
