import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { answered, describeInBrowser } from '../support/browser.js'

/** The pane of the drawings, at the top left of the page, with a size of its own. */
async function setPaneSize(page: Page, width: number, height: number): Promise<void> {
  await page.addStyleTag({
    content: `.drawings { position: fixed; inset: 0 auto auto 0; width: ${width}px; height: ${height}px; z-index: 9 }`,
  })
}

/** Returns the faults of the visible drawing: a pane that scrolls, texts outside of it, on each other, or that are small. */
function faultsOfDrawing(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const pane = [...document.querySelectorAll<HTMLElement>('.drawing')].find((each) => each.offsetParent !== null)
    const drawing = pane?.querySelector('svg')
    if (pane === undefined || !drawing) return ['no drawing']
    const frame = pane.getBoundingClientRect()
    const scale = drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width
    return [
      ...(pane.scrollWidth > pane.clientWidth ? ['scrolls sideways'] : []),
      ...(pane.scrollHeight > pane.clientHeight ? ['scrolls'] : []),
      ...[...drawing.querySelectorAll('.station')].flatMap((card) => {
        const [heading, more] = ['.hook', '.more'].map((part) => card.querySelector(part)?.getBoundingClientRect())
        return heading && more && heading.right > more.left ? [`overlaps: ${card.textContent}`] : []
      }),
      ...[...drawing.querySelectorAll('text')].flatMap((text) => {
        const { left, right, top, bottom } = text.getBoundingClientRect()
        const isInside = left >= frame.left && right <= frame.right && top >= frame.top && bottom <= frame.bottom
        const size = Number.parseFloat(getComputedStyle(text).fontSize) * scale
        return [
          ...(isInside ? [] : [`outside: ${text.textContent}`]),
          ...(size >= 10.5 ? [] : [`${size} px: ${text.textContent}`]),
        ]
      }),
    ]
  })
}

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, index) => `  - addresses: [10.244.2.${index + 1}]\n`).join('')

/** The first example with this number of endpoints. */
function withEndpoints(count: number) {
  const question = example('node-port')
  return { ...question, objects: question.objects.replace(/(?<=endpoints:\n)[\s\S]*?(?=---)/, endpoints(count)) }
}

describeInBrowser('the drawings', ({ open, openAt }) => {
  it.each([300, 400, 600, 1000])('fit a pane of %i x 300 pixels, with the end of the path visible', async (width) => {
    const { page, faults } = await open()
    await setPaneSize(page, width, 300)
    for (const mode of ['iptables', 'ipvs', 'nftables']) {
      await page.locator('#choose-mode').selectOption(mode)
      await answered(page)
      await page.getByRole('tab', { name: 'Path', exact: true }).click()
      await expect.poll(() => faultsOfDrawing(page), { message: mode }).toEqual([])
      expect(await page.locator('.path-drawing .end').textContent()).toContain('10.244.2.93:80')
      await page.getByRole('tab', { name: 'Graph' }).click()
      await expect.poll(() => faultsOfDrawing(page), { message: mode }).toEqual([])
      expect(await page.locator('.graph .branch.delivered text').allTextContents()).toContain('10.244.4.14:80')
    }
    expect(faults).toEqual([])
  })

  it.each([300, 1000])('join the endpoints that a pane of %i pixels has no room for', async (width) => {
    const { page } = await open(withEndpoints(50))
    await setPaneSize(page, width, 300)
    await page.getByRole('tab', { name: 'Graph' }).click()
    await expect.poll(() => faultsOfDrawing(page)).toEqual([])
    const ends = await page.locator('.graph .branch.delivered text').allTextContents()
    expect(ends.at(-1)).toBe(`+${51 - ends.length}, each 1/50`)
    expect(ends.length).toBeGreaterThan(8)
  })

  it('never cover the headings of narrow cards by the number of hidden rules', async () => {
    const { page } = await openAt('#example=node-port', { viewport: { width: 1160, height: 760 } })
    await page.getByRole('button', { name: '▸ Follow' }).click()
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => page.locator('.path-drawing .hook').allTextContents()).toContain('PREROUTING')
    await expect.poll(() => page.locator('.path-drawing .more').count()).toBe(3)
    expect((await faultsOfDrawing(page)).filter((fault) => fault.startsWith('overlaps'))).toEqual([])
    // The packet is visible as a whole beside a card that hides its rule.
    const frame = () => page.locator('.path-drawing').boundingBox()
    const packet = () => page.locator('.path-drawing .token').boundingBox()
    await expect.poll(async () => (await packet())?.x).toBeGreaterThanOrEqual((await frame())?.x ?? 0)
  })

  it('contain all 9 endpoints', async () => {
    const { page } = await open(withEndpoints(9))
    await setPaneSize(page, 300, 300)
    await page.getByRole('tab', { name: 'Graph' }).click()
    await expect.poll(() => faultsOfDrawing(page)).toEqual([])
    expect(await page.locator('.graph .branch.delivered').count()).toBe(9)
  })

  it('fit again after the user moves a border or maximizes a pane', async () => {
    const { page } = await open()
    for (const tab of ['Path', 'Graph']) {
      await page.getByRole('tab', { name: tab, exact: true }).click()
      const height = () => page.locator('.drawing:visible').evaluate(({ clientHeight }) => clientHeight)
      const before = await height()
      const border = page.getByRole('separator', { name: 'Height of the input and the output' })
      for (let step = 0; step < 3; step++) await border.press('ArrowDown')
      await expect.poll(height).toBeLessThan(before)
      await expect.poll(() => faultsOfDrawing(page)).toEqual([])
      await page.getByRole('button', { name: 'Maximize the packet' }).click()
      await expect.poll(height).toBeGreaterThan(before)
      await expect.poll(() => faultsOfDrawing(page)).toEqual([])
      await page.keyboard.press('Escape')
      await border.dblclick()
    }
  })

  it.each([
    [390, 844, 'page'],
    [400, 400, 'path'],
    [1000, 400, 'path'],
  ])('fit a page of %i x %i pixels with view=%s', async (width, height, view) => {
    const { page } = await openAt(`#example=seed-ngx-nodeport&view=${view}`, { viewport: { width, height } })
    for (const tab of ['Path', 'Graph']) {
      await page.getByRole('tab', { name: tab, exact: true }).click()
      await expect.poll(() => faultsOfDrawing(page)).toEqual([])
      if (view !== 'path') continue
      // The whole frame is in sight.
      const frame = await page.locator('.drawing:visible').boundingBox()
      expect((frame?.y ?? 0) + (frame?.height ?? 0)).toBeLessThanOrEqual(height)
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBe(height)
    }
  })
})
