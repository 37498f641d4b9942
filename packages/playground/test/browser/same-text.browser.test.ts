import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { parsePacketText } from '../../src/question/packet-text.js'
import { encodeRequestHash } from '../../src/question/permalink.js'
import type { PlaygroundRequest } from '../../src/question/playground-request.js'
import { example } from '../support/answers.js'
import { computed, copied, describeInBrowser } from '../support/browser.js'
import { printed } from '../support/command.js'

const examples = readExamples()

/** Loads another request on the same page, as a link does. */
async function ask(page: Page, question: PlaygroundRequest): Promise<void> {
  await page.evaluate(() => document.body.removeAttribute('data-state'))
  const hash = await encodeRequestHash(question)
  await page.evaluate((next) => location.replace(next), hash)
  await computed(page)
}

describeInBrowser('text copied from the page', ({ open }) => {
  it('equals the output of print for every example, mode and format', async () => {
    const { page } = await open()
    for (const { name, question } of examples) {
      for (const asked of variantsOf(name, question)) {
        await ask(page, asked)
        const what = `${name} ${asked.mode} ${asked.format} ${asked.family}`
        expect(await copied(page, '.panel.rules'), what).toBe(await printed('print', asked))
      }
    }
  })

  it('equals the output of explain', async () => {
    const { page } = await open()
    for (const { name, question } of examples) {
      const read = parsePacketText(question.packet)
      if (!read.ok) continue
      await ask(page, { ...question, pane: 'rules' })
      const { from, to } = read.value
      const through = question.through === 'dump' ? ['--dump', 'dump'] : []
      const established = question.established ? ['--established'] : []
      const expected = await printed('explain', question, ...through, ...established, to, '--from', from)
      expect(await copied(page, '.explanation h2:last-of-type'), name).toBe(expected)
    }
  })

  it('equals the output of verify', async () => {
    const { page } = await open()
    for (const { name, question } of examples) {
      if (question.dump === '' || question.through === 'dump') continue
      await ask(page, question)
      expect(await copied(page, '#panel-dump'), name).toBe(await printed('verify', question, '--dump', 'dump'))
    }
  })

  it('equals the output of compare and diff', async () => {
    const scaled = example('seed-saythx-redis')
    const { page } = await open({ ...scaled, pane: 'change' })
    expect(await copied(page, '#panel-change')).toBe(await printed('diff', scaled, '--traffic'))
    const every = example('every-frontend')
    await ask(page, { ...every, pane: 'comparison', against: 'nftables' })
    const expected = await printed('compare', { ...every, mode: '' }, '--modes', 'iptables,nftables')
    expect(await copied(page, '#panel-comparison')).toBe(expected)
  })
})

/** Returns each example unchanged; clusters also in every mode and text format. */
function variantsOf(name: string, question: PlaygroundRequest): readonly PlaygroundRequest[] {
  const asked = { ...question, pane: 'rules' }
  if (/^\d/.test(name)) return [asked]
  return [
    asked,
    { ...asked, format: 'restore' },
    { ...asked, mode: 'ipvs' },
    { ...asked, mode: 'ipvs', format: 'listing' },
    { ...asked, mode: 'nftables' },
    { ...asked, mode: 'nftables', format: 'restore' },
    { ...asked, family: 'both' },
  ]
}
