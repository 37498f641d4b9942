import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createToolRunner, isMissing, outputOf, runTool } from '../src/run-tool.js'

it.each([
  ['runTool', runTool],
  ['a runner', createToolRunner()],
])('%s returns the status, the output and the errors of a tool', async (_, run) => {
  const args = ['-c', 'cat; printf "$1" >&2; exit 3', 'sh', `it's "$HOME" \\ *`]
  for (const input of ['line\n\n$last `id`\n', 'end 12', '', 'x'.repeat(100_000), 'ä€😀 line\n'.repeat(20_000)]) {
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
  const shell = Number((await run('sh', ['-c', 'echo $PPID'])).stdout)
  process.kill(shell, 'SIGKILL')
  await vi.waitFor(() => expect(() => process.kill(shell, 0)).toThrow('ESRCH'), 30_000)
  expect(await outputOf(run, 'echo', 'works')).toBe('works\n')
})

it('a runner does not run a tool with the first part of its input if the program is killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'run-tool-test-'))
  // The shell receives the first part of the text only.
  writeFileSync(join(folder, 'sh'), '#!/bin/sh\nhead -c 1000 | /bin/sh\n', { mode: 0o755 })
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  const written = join(folder, 'written')
  await expect(createToolRunner()('tee', [written], 'line\n'.repeat(1_000))).rejects.toThrow('the shell has ended')
  expect(existsSync(written)).toBe(false)
})

it('a runner ends a hanging tool that ignores SIGTERM, then runs the next tool', async () => {
  // The next tool must not exceed the limit on a busy machine.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const run = createToolRunner(200)
  const ended = expect(run('sh', ['-c', 'trap "" TERM; sleep 60; sleep 60'])).rejects
  vi.advanceTimersByTime(200)
  await ended.toThrow('has not ended after 200 ms')
  expect(await outputOf(run, 'echo', 'works')).toBe('works\n')
})
