import { expect, it } from 'vitest'
import { example } from '../support/answers.js'
import { answered, describeInBrowser, recordTexts } from '../support/browser.js'

const SECOND_NODE = `
---
apiVersion: v1
kind: Node
metadata: { name: node-2 }
status: { addresses: [{ type: InternalIP, address: 192.168.0.42 }] }
`

describeInBrowser('the bars', ({ open }) => {
  it('lists both Nodes, and selects the Node of the packet', async () => {
    const question = example('seed-ngx-nodeport')
    const { page } = await open({ ...question, objects: question.objects + SECOND_NODE, node: '' })
    const select = page.locator('#choose-node')
    expect(await select.locator('option').allInnerTexts()).toEqual([
      'auto (master01.k8s.org)',
      'master01.k8s.org',
      'node-2',
    ])
    expect(await select.inputValue()).toBe('')
    const line = page.locator('.pane.packet .node-choice')
    expect(await line.innerText()).toContain('the first of 2 Nodes')
    await page.locator('#packet').fill('from outside → 192.168.0.42:30080')
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 3 endpoints')
    expect(await line.innerText()).toContain('the packet goes to its address 192.168.0.42')
    expect(await select.locator('option').first().innerText()).toBe('auto (node-2)')
    await select.selectOption('master01.k8s.org')
    await answered(page)
    expect(await line.innerText()).toContain('the packet goes to an address of node-2')
    await page.getByRole('button', { name: 'Use node-2' }).click()
    await answered(page)
    expect(await page.locator('.sentence').innerText()).toContain('goes to one of 3 endpoints')
  })

  it('reports a copied link only after a successful copy', async () => {
    const { page } = await open()
    const button = page.getByRole('button', { name: /^(?:Copy link|Link )/ })
    const texts = await recordTexts(page, '.tools > button >> nth=0')
    await button.click()
    await expect.poll(texts).toEqual(['Link copied', 'Copy link'])
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('denied'))
    })
    await button.click()
    await expect.poll(texts).toEqual(['Link copied', 'Copy link', 'Link is in the address bar', 'Copy link'])
  })
})

describeInBrowser('a comparison of a mode with itself', ({ open }) => {
  it('shows a hint to choose another mode instead of the message "no difference"', async () => {
    const { page } = await open({ ...example('dual-stack'), pane: 'comparison', against: 'nftables' })
    await page.getByLabel('Mode', { exact: true }).selectOption('nftables')
    await answered(page)
    const text = await page.locator('#panel-comparison').innerText()
    expect(text).toContain('choose another mode or version')
    expect(text).not.toContain('classes of packets')
  })
})

describeInBrowser('the list of examples', ({ open }) => {
  it('shows titles in words, and the whole description of each example', async () => {
    const { page } = await open()
    await page.getByRole('button', { name: 'Examples' }).click()
    const cut = await page
      .locator('dialog.gallery li *')
      .evaluateAll((parts) => parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1).length)
    expect(cut).toBe(0)
    const text = await page.locator('dialog.gallery').innerText()
    expect(text).not.toMatch(/Seed apiserver|…/)
  })
})
