import { expect, it, vi } from 'vitest'
import { createRunner } from '../src/runner.js'

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

it('a runner combines requests in an interval, repeats a failed run, and starts no run after a stop', async () => {
  let runs = 0
  let running = 0
  const run = async () => {
    runs += 1
    expect(++running).toBe(1)
    await pause(10)
    running -= 1
    if (runs === 1) throw new Error('failed')
  }
  const runner = createRunner(run, { minInterval: 100, firstPause: 100, longestPause: 100 })
  for (let count = 0; count < 5; count++) runner.request()
  await pause(50)
  expect(runs).toBe(1)
  await pause(150)
  expect(runs).toBe(2)
  await pause(100)
  runner.request()
  await pause(5)
  expect(running).toBe(1)
  await runner.stop()
  runner.request()
  await pause(150)
  expect([runs, running]).toEqual([3, 0])
})

it('a runner stops within a limit if a run never ends', async () => {
  const runner = createRunner(() => new Promise(() => {}), { minInterval: 0, firstPause: 0, longestPause: 0 })
  runner.request()
  await pause(20)
  await expect(runner.stop(50)).resolves.toBeUndefined()
})

it('a runner does not wait longer if the system clock is set back', async () => {
  const run = vi.fn(async () => {})
  const runner = createRunner(run, { minInterval: 50, firstPause: 50, longestPause: 50 })
  runner.request()
  await pause(20)
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() - 3_600_000)
  runner.request()
  await pause(150)
  clock.mockRestore()
  await runner.stop()
  expect(run).toHaveBeenCalledTimes(2)
})
