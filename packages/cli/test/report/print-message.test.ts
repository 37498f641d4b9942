import { expect, it } from 'vitest'
import { run } from '../support/run.js'

it('a message over the limit is truncated in the middle', async () => {
  const name = 'x'.repeat(1000)
  const { stderr } = await run(['print', '-f', name])
  const [line = ''] = stderr.split('\n')
  expect(line).toMatch(/^error: x+ … \d+ characters … x+: no such file or directory$/)
  expect(line.replaceAll(/ … \d+ characters … /g, '')).toHaveLength(400)
})

it('a message within the limit is printed in full', async () => {
  const name = 'x'.repeat(300)
  expect((await run(['print', '-f', name])).stderr).toContain(`error: ${name}: no such file or directory\n`)
})
