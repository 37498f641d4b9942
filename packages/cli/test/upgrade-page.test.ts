import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { run } from './support/run.js'

const PAGE = readFileSync(new URL('../../../docs/how-to/upgrade.md', import.meta.url), 'utf8')

/** The fenced blocks of the page: language and text. */
const BLOCKS = Array.from(PAGE.matchAll(/^```(\w*)\n(.*?)^```$/gms), ([, language, text = '']) => ({ language, text }))

function blocks(language: string): readonly string[] {
  return BLOCKS.filter((block) => block.language === language).map(({ text }) => text)
}

const [node = '', ...examples] = blocks('yaml')
const outputs = blocks('')
const commands = Array.from(PAGE.matchAll(/^`kube-rules (.*)` prints:$/gm), ([, command]) => command ?? '')

describe('docs/how-to/upgrade.md', () => {
  it('has two examples', () => {
    expect([examples.length, commands.length, outputs.length]).toEqual([2, 2, 2])
  })

  it.each(commands.map((command, index) => [command, index] as const))(
    'contains the output of %s',
    async (command, index) => {
      const files = { 'cluster/shop.yaml': `${node}---\n${examples[index]}` }
      const { exitCode, stdout, stderr } = await run(command.replace('cluster/', 'cluster').split(' '), { files })
      expect(stdout).toBe(outputs[index])
      expect(stderr).toBe('')
      expect(exitCode).toBe(1)
    },
  )
})
