import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRunner } from '../src/runner.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function runnerOf(results: readonly boolean[] = []) {
  const starts: number[] = []
  const begin = Date.now()
  const run = async () => {
    starts.push(Date.now() - begin)
    if (results[starts.length - 1] === false) throw new Error('failed')
  }
  return { starts, runner: createRunner({ run, minInterval: 1_000, firstPause: 2_000, longestPause: 5_000 }) }
}

it('a runner runs immediately if it is idle, and joins the requests within an interval', async () => {
  const { starts, runner } = runnerOf()
  runner.request()
  await vi.advanceTimersByTimeAsync(10)
  for (let count = 0; count < 5; count++) runner.request()
  await vi.advanceTimersByTimeAsync(5_000)
  runner.request()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(starts).toEqual([0, 1_000, 5_010])
})

it('a runner retries after failures with longer pauses, up to a limit', async () => {
  const { starts, runner } = runnerOf([false, false, false, false])
  runner.request()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(starts).toEqual([0, 2_000, 6_000, 11_000, 16_000])
})

it('a runner does not wait for the end of a long pause if something changes', async () => {
  const { starts, runner } = runnerOf([false, false, false])
  runner.request()
  await vi.advanceTimersByTimeAsync(6_500)
  runner.request()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(starts).toEqual([0, 2_000, 6_000, 8_000])
})

it('a runner starts nothing after it was stopped', async () => {
  const { starts, runner } = runnerOf()
  runner.request()
  await runner.stop()
  runner.request()
  await vi.advanceTimersByTimeAsync(10_000)
  expect(starts).toEqual([])
})
