import { expect, it } from 'vitest'
import { createToolRunner, isMissing, outputOf, runTool } from '../src/run-tool.js'

it.each([
  ['runTool', runTool],
  ['a runner', createToolRunner()],
])('%s returns the status, the output and the errors of a tool', async (_, run) => {
  const args = ['-c', 'cat; printf "$1" >&2; exit 3', 'sh', `it's "$HOME" \\ *`]
  for (const input of ['line\n\n$last `id`\n', 'end 12', '', 'x'.repeat(100_000)]) {
    expect(await run('sh', args, input)).toEqual({ status: 3, stdout: input, stderr: `it's "$HOME" \\ *` })
  }
})

it('a runner accepts an argument with a line break', async () => {
  expect((await createToolRunner()('printf', ['%s', 'one\ntwo'])).stdout).toBe('one\ntwo')
})

it('a runner rejects with the same error as runTool if a tool is missing', async () => {
  const run = createToolRunner()
  expect(isMissing(await run('no-such-tool', []).catch((error) => error))).toBe(true)
  expect(await outputOf(run, 'echo', 'works')).toBe('works\n')
})

it('a runner runs several tools concurrently', async () => {
  const run = createToolRunner()
  const texts = await Promise.all(['a\n', 'b\n', 'c\n'].map((text) => run('cat', [], text)))
  expect(texts.map(({ stdout }) => stdout)).toEqual(['a\n', 'b\n', 'c\n'])
})

it('a runner starts another shell after its shell ends, with or without a tool', async () => {
  const run = createToolRunner()
  await expect(run('sh', ['-c', 'kill -9 $PPID'])).rejects.toThrow('the shell has ended')
  await run('sh', ['-c', '(sleep 0.1; kill -9 $PPID) >/dev/null 2>&1 &'])
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(await outputOf(run, 'echo', 'works')).toBe('works\n')
})

it('a runner ends a hanging tool that ignores SIGTERM, then runs the next tool', async () => {
  const run = createToolRunner(200)
  await expect(run('sh', ['-c', 'trap "" TERM; sleep 60; sleep 60'])).rejects.toThrow('has not ended after 200 ms')
  expect(await outputOf(run, 'echo', 'works')).toBe('works\n')
})
