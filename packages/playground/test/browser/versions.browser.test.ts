import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser } from '../support/browser.js'

const slider = (page: Page) => page.getByRole('slider', { name: 'Version' })
const differences = (page: Page) => page.getByRole('region', { name: 'Differences' })

/** Opens the pane that compares versions, at a version. */
async function openVersions(page: Page, version: string): Promise<void> {
  await page.getByRole('tab', { name: 'Compare' }).click()
  await page.getByLabel('kube-proxy', { exact: true }).selectOption(version)
  await answered(page)
}

describeInBrowser('the slider over versions', ({ open }) => {
  it('covers all versions of the mode, and starts at the selected version', async () => {
    const { page, faults } = await open()
    await openVersions(page, '1.14')
    expect(await slider(page).inputValue()).toBe('0')
    expect(await slider(page).getAttribute('aria-valuetext')).toBe('kube-proxy 1.14')
    await slider(page).press('End')
    await answered(page)
    expect(await slider(page).getAttribute('aria-valuetext')).toBe('kube-proxy 1.37')
    expect(await page.getByLabel('kube-proxy', { exact: true }).inputValue()).toBe('1.37')
    expect(faults).toEqual([])
  })

  it('lists the changes between two versions, and marks them in the rules', async () => {
    const { page } = await open()
    await openVersions(page, '1.23')
    await slider(page).press('ArrowRight')
    await answered(page)
    expect(await page.getByLabel('against', { exact: true }).inputValue()).toBe('1.23')
    expect(await differences(page).getByRole('heading', { level: 2 }).allInnerTexts()).toContain('Only before 1.24')
    expect(await differences(page).locator('li').allInnerTexts()).toContainEqual(
      expect.stringContaining('packets to external destinations go through KUBE-EXT'),
    )
    const [removed, added] = await Promise.all(
      ['del', 'ins'].map((name) => differences(page).locator(name).allInnerTexts()),
    )
    expect(removed?.join('\n')).not.toContain('KUBE-EXT-')
    expect(added?.join('\n')).toContain(':KUBE-EXT-')
    // In the other direction, the page also shows the changes from the older version to the newer version.
    const forwards = await differences(page).locator('.diff').innerText()
    await slider(page).press('ArrowLeft')
    await answered(page)
    expect(await page.getByLabel('against', { exact: true }).inputValue()).toBe('1.24')
    expect(await differences(page).locator('.diff').innerText()).toBe(forwards)
  })

  it('reports that two versions have the same rules', async () => {
    const { page } = await open()
    await openVersions(page, '1.31')
    await slider(page).press('ArrowRight')
    await answered(page)
    expect(await differences(page).innerText()).toContain('The rules of 1.32 and 1.31 are the same.')
  })

  it('does not change the compared mode', async () => {
    const { page } = await open({ mode: 'nftables', against: 'iptables', pane: 'comparison' })
    await slider(page).press('End')
    await answered(page)
    expect(await page.getByLabel('against', { exact: true }).inputValue()).toBe('iptables')
  })

  it('causes no axe violations', async () => {
    const { page } = await open()
    await openVersions(page, '1.23')
    await slider(page).press('ArrowRight')
    await answered(page)
    expect(await findViolations(page)).toEqual([])
  })
})
