import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser } from '../support/browser.js'

describeInBrowser('the pane of comparisons', ({ open }) => {
  it('shows totals, then groups with losses in red, and traces an example packet of a group', async () => {
    const { page, faults } = await open({ ...example('dual-stack'), pane: 'comparison', against: 'nftables' })
    const pane = page.locator('#panel-comparison')
    expect(await pane.locator('.effect').innerText()).toMatch(
      /^With nftables instead of iptables, 2 of 2 Services behave differently: 1 loses packets, 2 keep the client IP\./,
    )
    expect(await pane.locator('.change-group h2').allInnerTexts()).toEqual([
      '1 Service loses packets: delivered → not handled by kube-proxy IPv4',
      '2 Services keep the client IP: partly masqueraded → client IP IPv4 and IPv6',
      'Packets that are not for a Service: not handled by kube-proxy → rejected IPv4 and IPv6',
      'Packets that are not for a Service: dropped → not handled by kube-proxy IPv4',
    ])
    expect(await pane.locator('h2.lost').count()).toBe(1)
    expect(await findViolations(page)).toEqual([])
    await pane.locator('.change-group').first().getByRole('button').click()
    await answered(page)
    expect(await page.locator('#packet').inputValue()).toMatch(/^from \S+ → 127\.0\.0\.1:\d+$/)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 2 endpoints')
    expect(await page.locator('#tab-comparison').getAttribute('aria-selected')).toBe('true')
    expect(faults).toEqual([])
  })

  it('compares few Services in a worker, and computes their rules in the page', async () => {
    const { page } = await open(example('every-frontend'))
    expect(page.workers()).toHaveLength(0)
    await page.getByRole('tab', { name: 'Compare' }).click()
    await page.getByLabel('against').selectOption('nftables')
    await page.locator('#panel-comparison .change-group').first().waitFor()
    expect(page.workers()).toHaveLength(1)
  })

  it('shows only the packets of the selected Service', async () => {
    const { page } = await open({ ...example('every-frontend'), pane: 'comparison', against: 'nftables' })
    const pane = page.locator('#panel-comparison')
    const headings = pane.locator('.change-group h2')
    expect((await headings.allInnerTexts()).join()).toContain('3 Services lose packets')
    await pane.getByRole('combobox', { name: 'Service' }).selectOption('ns1/svc1')
    expect(await headings.allInnerTexts()).toEqual(['1 Service keeps the client IP: masqueraded → client IP IPv4'])
    expect((await pane.locator('.line.differs').allInnerTexts()).join()).not.toContain('ns2/svc2')
  })

  it('fits into 390 pixels', async () => {
    const { page } = await open(
      { ...example('every-frontend'), pane: 'comparison', against: 'ipvs' },
      { viewport: { width: 390, height: 844 } },
    )
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    expect(await findViolations(page)).toEqual([])
  })
})
