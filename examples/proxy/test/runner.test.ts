import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createRunner } from '../src/runner.js'

// A busy machine must not change the order of events.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const advance = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

it('a runner combines requests in an interval, repeats a failed run, and starts no run after a stop', async () => {
  let runs = 0
  let running = 0
  const run = async () => {
    runs += 1
    expect(++running).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 10))
    running -= 1
    if (runs === 1) throw new Error('failed')
  }
  const runner = createRunner(run, { minInterval: 100, firstPause: 100, longestPause: 100 })
  for (let count = 0; count < 5; count++) runner.request()
  await advance(50)
  expect(runs).toBe(1)
  await advance(150)
  expect(runs).toBe(2)
  await advance(100)
  runner.request()
  await advance(5)
  expect(running).toBe(1)
  const stopped = runner.stop()
  await advance(10)
  await stopped
  runner.request()
  await advance(150)
  expect([runs, running]).toEqual([3, 0])
})

it('a runner stops within a limit if a run never ends', async () => {
  const runner = createRunner(() => new Promise(() => {}), { minInterval: 0, firstPause: 0, longestPause: 0 })
  runner.request()
  await advance(0)
  // The limit is of the real clock.
  await expect(runner.stop(50)).resolves.toBeUndefined()
})

it('a runner does not wait longer if the system clock is set back', async () => {
  const run = vi.fn(async () => {})
  const runner = createRunner(run, { minInterval: 50, firstPause: 50, longestPause: 50 })
  runner.request()
  await advance(20)
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  runner.request()
  await advance(150)
  clock.mockRestore()
  await runner.stop()
  expect(run).toHaveBeenCalledTimes(2)
})
