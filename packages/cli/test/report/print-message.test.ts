import { expect, it } from 'vitest'
import { run } from '../support/run.js'

it('cuts a message without its ends', async () => {
  const name = 'x'.repeat(1000)
  const { stderr } = await run(['print', '-f', name])
  const [line = ''] = stderr.split('\n')
  expect(line).toMatch(/^error: x+ … \d+ characters … x+: no such file or directory$/)
  expect(line.replaceAll(/ … \d+ characters … /g, '')).toHaveLength(400)
})

it('leaves a message whole that is not too long', async () => {
  const name = 'x'.repeat(300)
  expect((await run(['print', '-f', name])).stderr).toContain(`error: ${name}: no such file or directory\n`)
})
