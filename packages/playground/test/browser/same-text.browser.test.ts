import { expect, it } from 'vitest'
import { readExamples } from '../../builder/gallery.js'
import { readPacket } from '../../src/question/packet-text.js'
import { hashOf } from '../../src/question/permalink.js'
import type { Question } from '../../src/question/question.js'
import { answered, copied, describeInBrowser } from '../support/browser.js'
import { printed } from '../support/command.js'

const examples = readExamples()

describeInBrowser('what is copied from the page', ({ open }) => {
  it('is what the command prints, for every example, mode and text', async () => {
    const { page } = await open()
    const ask = async (question: Question) => {
      await page.evaluate(() => document.body.removeAttribute('data-state'))
      const hash = await hashOf(question)
      await page.evaluate((next) => location.replace(next), hash)
      await answered(page)
    }
    let compared = 0
    for (const { name, question } of examples) {
      for (const asked of variantsOf(name, question)) {
        await ask(asked)
        const what = `${name} ${asked.mode} ${asked.style} ${asked.family}`
        expect(await copied(page, '.panel.rules'), what).toBe(await printed('print', asked))
        compared++
      }
    }
    expect(compared).toBe(examples.length + 6 * 6)
  })

  it('is what the command explains', async () => {
    for (const { name, question } of examples) {
      const read = readPacket(question.packet)
      // The page explains first packets of connections, and through one dump.
      if (!read.ok || name.startsWith('23-')) continue
      const { page } = await open(question)
      const { from, to } = read.value
      const through = question.through === 'dump' ? ['--dump', 'dump'] : []
      expect(await copied(page, '.explanation h2:last-of-type'), name).toBe(
        await printed('explain', question, ...through, to, '--from', from),
      )
      await page.context().close()
    }
  })

  it('is what the command verifies', async () => {
    for (const { name, question } of examples) {
      if (question.dump === '' || question.through === 'dump') continue
      const { page } = await open(question)
      const expected = await printed('verify', question, '--dump', 'dump')
      expect(await copied(page, '#panel-dump'), name).toBe(expected)
      await page.context().close()
    }
  })

  it('is what the command compares, and what changes', async () => {
    const scaled = examples.find(({ name }) => name === 'seed-saythx-redis')?.question
    if (scaled === undefined) throw new Error('there is no such example')
    const changed = await open({ ...scaled, pane: 'change' })
    expect(await copied(changed.page, '#panel-change')).toBe(await printed('diff', scaled, '--traffic'))
    const every = examples.find(({ name }) => name === 'every-frontend')?.question ?? scaled
    const compared = await open({ ...every, pane: 'comparison', against: 'nftables' })
    expect(await copied(compared.page, '#panel-comparison')).toBe(
      await printed('compare', every, '--modes', 'iptables,nftables'),
    )
  })
})

/** Each as it is; clusters also in every mode and text. */
function variantsOf(name: string, question: Question): readonly Question[] {
  const isCluster = !/^\d/.test(name)
  if (!isCluster) return [question]
  return [
    question,
    { ...question, style: 'restore' },
    { ...question, mode: 'ipvs' },
    { ...question, mode: 'ipvs', style: 'listing' },
    { ...question, mode: 'nftables' },
    { ...question, mode: 'nftables', style: 'restore' },
    { ...question, family: 'both' },
  ]
}
