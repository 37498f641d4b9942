import { expect, it } from 'vitest'
import { createToolRunner, isMissing, outputOf, runTool } from '../src/run-tool.js'

/** Returns a runner that has already started the process for the next tool. */
async function waitingRunner() {
  const run = createToolRunner()
  await run('true', [])
  return run
}

it.each([
  ['runTool', async () => runTool],
  ['a runner with a waiting process', waitingRunner],
])('%s returns the status, the output and the errors of a tool', async (_, runner) => {
  const script = 'cat; echo "$1" >&2; exit 3'
  const args = ['-c', script, 'sh', `it's "$HOME" \\ *`]
  expect(await (await runner())('sh', args, 'line\n\nlast')).toEqual({
    ...{ status: 3, stdout: 'line\n\nlast', stderr: `it's "$HOME" \\ *\n` },
  })
})

it('a runner accepts an argument with a line break if a process is waiting', async () => {
  expect((await (await waitingRunner())('printf', ['%s', 'one\ntwo'])).stdout).toBe('one\ntwo')
})

it('a runner rejects with the same error as runTool if a tool is missing', async () => {
  const run = await waitingRunner()
  expect(isMissing(await run('no-such-tool', []).catch((error) => error))).toBe(true)
  expect(await outputOf(run, 'echo', 'works')).toBe('works\n')
})

it('a runner runs several tools at the same time', async () => {
  const run = await waitingRunner()
  const texts = await Promise.all(['a', 'b', 'c'].map((text) => run('cat', [], text)))
  expect(texts.map(({ stdout }) => stdout)).toEqual(['a', 'b', 'c'])
})
