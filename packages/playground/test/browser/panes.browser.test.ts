import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { createEngine } from '../../src/engine/engine.js'
import { DEFAULT_REQUEST } from '../../src/question/playground-request.js'
import { findViolations } from '../support/axe.js'
import { answered, describeInBrowser } from '../support/browser.js'

const DEPLOYMENT = `apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop, labels: { app: web } }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec: { containers: [{ name: web, ports: [{ containerPort: 8080 }] }] }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
`

async function widthOf(page: Page, selector: string): Promise<number> {
  return (await page.locator(selector).boundingBox())?.width ?? 0
}

async function downloaded(page: Page, button: string): Promise<Buffer> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button, exact: true }).click(),
  ])
  return readFileSync(await file.path())
}

describeInBrowser('the panes', ({ open }) => {
  it('can be maximized individually until the user presses Escape', async () => {
    const { page, faults } = await open()
    const before = await widthOf(page, '.pane.packet .drawing >> visible=true')
    await page.getByRole('button', { name: 'Maximize the packet' }).click()
    expect(await page.locator('.pane.output').isVisible()).toBe(false)
    expect((await page.locator('.pane.packet').boundingBox())?.height).toBeGreaterThan(700)
    expect(await findViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await page.locator('.pane.output').isVisible()).toBe(true)
    expect(await widthOf(page, '.pane.packet .drawing >> visible=true')).toBe(before)
    await page.getByRole('button', { name: 'Maximize the input' }).click()
    await page.getByRole('button', { name: 'Maximize the input' }).click()
    expect(await page.locator('.pane.packet').isVisible()).toBe(true)
    expect(faults).toEqual([])
  })

  it('can be resized with the keyboard and with the pointer', async () => {
    const { page } = await open()
    const before = await widthOf(page, '.pane.objects')
    const border = page.getByRole('separator', { name: 'Width of the input' })
    await border.press('ArrowRight')
    expect(await widthOf(page, '.pane.objects')).toBeGreaterThan(before + 50)
    expect(await border.getAttribute('aria-valuenow')).toBe('47')
    const box = await border.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 4, (box?.y ?? 0) + 100)
    await page.mouse.down()
    await page.mouse.move(300, 400)
    await page.mouse.up()
    expect(await widthOf(page, '.pane.objects')).toBeLessThan(320)
    await border.dblclick()
    expect(await widthOf(page, '.pane.objects')).toBe(before)
  })
})

describeInBrowser('a hidden view of rules', ({ open }) => {
  const { question } = readExamples().find(({ name }) => name === 'every-frontend') ?? {}
  const shown = (page: Page, panel: string) => page.locator(`${panel} .cm-content[aria-label^=Rules] .cm-line`)

  it('creates elements for lines when it becomes visible', async () => {
    const { page, faults } = await open({ ...question, pane: 'change' })
    expect(await shown(page, '.panel.rules').count()).toBeLessThan(2)
    const { text } = createEngine().answer('rules', { ...DEFAULT_REQUEST, ...question })
    await page.getByRole('tab', { name: 'Rules', exact: true }).click()
    await expect.poll(() => shown(page, '.panel.rules').allInnerTexts()).toContain(text.split('\n')[1])
    await page.locator('#tab-dump').click()
    await page.getByRole('textbox', { name: 'Node rules' }).focus()
    await page.keyboard.insertText(text)
    await answered(page)
    expect(await shown(page, '.panel.dump').count()).toBeLessThan(2)
    await page.getByRole('tab', { name: 'Rule owners' }).click()
    await expect.poll(() => shown(page, '.panel.dump').allInnerTexts()).toContain(text.split('\n')[1])
    expect(faults).toEqual([])
  })

  it('scrolls to the rule that another pane selects', async () => {
    const { page } = await open({ ...question, pane: 'change', packet: 'from pod → 172.30.0.41:80' })
    await page.getByRole('button', { name: /DNAT.*Show the rule/ }).click()
    const distance = async () => {
      const frame = await page.locator('.panel.rules .cm-scroller').boundingBox()
      const marked = await page.locator('.panel.rules .cm-line.marked').first().boundingBox()
      if (frame === null || marked === null) return undefined
      return Math.abs(marked.y + marked.height / 2 - frame.y - frame.height / 2)
    }
    await expect.poll(distance).toBeLessThan(40)
  })
})

describeInBrowser('the drawing', ({ open }) => {
  it('a pane of any size shows the outcome in the color of its kind', async () => {
    const { page } = await open()
    expect(await page.locator('.ending').innerText()).toBe('→ 10.244.2.93:80, masqueraded')
    expect(await page.locator('.ending').getAttribute('class')).toBe('ending delivered')
    await page.locator('#packet').fill('from pod → 10.96.0.99:80')
    await answered(page)
    expect(await page.locator('.ending').getAttribute('class')).toBe('ending unmatched')
  })

  it('fits into the page if its pane is maximized', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Maximize the packet' }).click()
    const { scroll, client } = await page
      .locator('.pane.packet .drawing:visible')
      .evaluate(({ scrollWidth, clientWidth }) => ({ scroll: scrollWidth, client: clientWidth }))
    expect(scroll).toBe(client)
  })

  it.each([
    [1440, 900],
    [1024, 768],
    [360, 760],
  ])('fits into its pane at %i x %i pixels', async (width, height) => {
    const { page } = await open(undefined, { viewport: { width, height } })
    const overflow = () =>
      page
        .locator('.pane.packet .drawing:visible')
        .evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)
    await expect.poll(overflow).toBe(0)
    expect(await page.locator('svg.path-drawing .station').count()).toBe(3)
  })

  it('has a menu that saves the drawing on a narrow page without maximize buttons', async () => {
    const { page } = await open(undefined, { viewport: { width: 360, height: 760 } })
    expect(await page.getByRole('button', { name: /^Maximize/ }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'SVG', exact: true }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save the drawing' }).click()
    expect(await findViolations(page)).toEqual([])
    expect(String(await downloaded(page, 'SVG'))).toContain('PREROUTING nat')
    expect(await page.getByRole('button', { name: 'PNG', exact: true }).count()).toBe(0)
  })

  it('can be saved as SVG and PNG', async () => {
    const { page, faults } = await open()
    const text = String(await downloaded(page, 'SVG'))
    expect(text).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/)
    expect(text).toContain('PREROUTING nat')
    expect(text).not.toMatch(/class=|var\(/)
    // The title names the packet and its outcome.
    expect(text).toMatch(/>from \S+ → \S+ → 10\.\S+, masqueraded</)
    // The halo of a text is wider than the space between two words, where the track would be visible.
    const halo = /<text[^>]*stroke-width:([\d.]+)px[^>]*>to 10\./.exec(text)?.[1]
    expect(Number(halo)).toBeGreaterThan(7)
    const strip = String(await downloaded(page, 'Steps'))
    expect(strip).toContain('The destination becomes')
    expect(strip).not.toMatch(/class=|var\(/)
    const picture = await downloaded(page, 'PNG')
    expect(picture.subarray(1, 4).toString()).toBe('PNG')
    expect(picture.readUInt32BE(16)).toBeGreaterThan(600)
    expect(faults).toEqual([])
  })
})

describeInBrowser('the slider for the number of pods', ({ open }) => {
  it('edits the replicas in the objects', async () => {
    const { page } = await open({ objects: DEPLOYMENT, packet: 'from pod → shop/web' })
    const slider = page.getByRole('slider', { name: 'Pods' })
    expect(await slider.inputValue()).toBe('3')
    expect(await page.locator('.path-item .share').allInnerTexts()).toEqual(['1/3', '1/3', '1/3'])
    await slider.press('ArrowLeft')
    await answered(page)
    expect(await page.locator('.pane.objects .cm-content').first().innerText()).toContain('replicas: 2')
    expect(await page.locator('.path-item .share').allInnerTexts()).toEqual(['1/2', '1/2'])
    await slider.press('Home')
    await answered(page)
    expect(await page.locator('.path-item .outcome').innerText()).toContain('rejected')
    await page.getByRole('textbox', { name: 'Objects of the cluster' }).press('Control+z')
    await answered(page)
    expect(await slider.inputValue()).not.toBe('0')
  })

  it('is hidden unless the objects contain exactly one number of replicas', async () => {
    const { page } = await open()
    expect(await page.locator('.pods').isVisible()).toBe(false)
  })
})
