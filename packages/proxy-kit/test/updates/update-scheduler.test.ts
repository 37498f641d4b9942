import { describe, expect, it } from 'vitest'
import { createUpdateScheduler } from '../../src/updates/update-scheduler.js'

/** Runs a schedule: `requests` are times of requests, and `results` are results of updates, which take no time. */
function startsOf(requests: readonly number[], results: readonly boolean[] = []): readonly number[] {
  const schedule = createUpdateScheduler({ minInterval: 1_000, firstPause: 2_000, longestPause: 5_000 })
  const starts: number[] = []
  function runUntil(end: number): void {
    for (let at = schedule.next(); at !== undefined && at < end; at = schedule.next()) {
      const start = Math.max(at, now)
      schedule.started(start)
      schedule.ended(start, results[starts.length] ?? true)
      starts.push(start)
    }
  }
  let now = 0
  for (const request of requests) {
    runUntil(request)
    now = request
    schedule.request()
  }
  runUntil(60_000)
  return starts
}

describe('createUpdateScheduler', () => {
  it('starts an update immediately after a quiet period, and combines the requests within an interval', () => {
    expect(startsOf([0, 10, 20, 900, 5_010])).toEqual([0, 1_000, 5_010])
  })

  it('retries a failed update with increasing pauses, up to a limit', () => {
    expect(startsOf([0], [false, false, false, false])).toEqual([0, 2_000, 6_000, 11_000, 16_000])
  })

  it('ends a long pause if an update is requested', () => {
    expect(startsOf([0, 6_500], [false, false, false])).toEqual([0, 2_000, 6_000, 8_000])
  })

  it('starts no update during another update, and starts a requested update afterwards', () => {
    const schedule = createUpdateScheduler({ minInterval: 1_000, firstPause: 2_000, longestPause: 5_000 })
    expect(schedule.next()).toBeUndefined()
    schedule.request()
    schedule.started(0)
    schedule.request()
    expect(schedule.next()).toBeUndefined()
    schedule.ended(300, true)
    expect(schedule.next()).toBe(1_000)
  })
})
