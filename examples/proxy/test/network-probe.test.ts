import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createNetworkProbe } from '../src/network-probe.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** Starts a probe at time 0. A probe of an unreachable server takes 1,200 ms, like a connection attempt. */
function startProbe() {
  const network = { isUp: true }
  const probes: number[] = []
  const recoveries: (readonly [at: number, failedSince: number])[] = []
  const start = performance.now()
  const probe = createNetworkProbe({
    isReachable: async () => {
      probes.push(performance.now() - start)
      if (!network.isUp) await new Promise((resolve) => setTimeout(resolve, 1_200))
      return network.isUp
    },
    onRecovery: (failedSince) => recoveries.push([performance.now() - start, failedSince - start]),
    times: { silence: 5_000, pause: 500 },
  })
  return { network, probes, recoveries, probe }
}

it('a network probe connects once in each period without a byte, and reports no recovery of a reachable server', async () => {
  const { probes, recoveries } = startProbe()
  await vi.advanceTimersByTimeAsync(15_000)
  expect(probes).toEqual([5_000, 10_000, 15_000])
  expect(recoveries).toEqual([])
})

it('a network probe does not connect while bytes arrive', async () => {
  const { probes, probe } = startProbe()
  for (let second = 1; second <= 60; second++) {
    await vi.advanceTimersByTimeAsync(1_000)
    probe.hear()
  }
  expect(probes).toEqual([])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(probes).toEqual([65_000])
})

it('a network probe reports the end of a failure of 8 seconds within 2 seconds, and only once', async () => {
  const { network, probes, recoveries, probe } = startProbe()
  network.isUp = false
  await vi.advanceTimersByTimeAsync(8_000)
  expect(probes).toEqual([5_000, 6_700])
  network.isUp = true
  // Bytes of one connection do not show that the others have not lost any.
  probe.hear()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(recoveries).toEqual([[8_400, 5_000]])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(recoveries).toHaveLength(1)
})

it('a stopped network probe neither connects nor reports a recovery', async () => {
  const { network, probes, recoveries, probe } = startProbe()
  network.isUp = false
  await vi.advanceTimersByTimeAsync(7_000)
  probe.stop()
  network.isUp = true
  await vi.advanceTimersByTimeAsync(60_000)
  expect(probes).toEqual([5_000, 6_700])
  expect(recoveries).toEqual([])
})
