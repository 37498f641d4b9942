import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type ApiServer, PATHS, startApiServer } from '../bed/api-server.js'
import { type Connect, connectTo } from '../src/connection.js'
import type { Logger } from '../src/log.js'
import { type ApiObject, type ReflectTimes, reflect } from '../src/reflect.js'
import { connectWithLoss } from './lost-packets.js'

const TIMES = { pause: 10, longest: 50, stale: 400, watch: 2_000 }

/** Reflects the Services of an API server, which has two. */
async function mirror(
  times: Partial<ReflectTimes> = {},
  prepare?: (api: ApiServer) => void,
  how: 'streams' | 'lists' = 'streams',
  connect: (server: string) => ReturnType<Connect> = connectTo,
) {
  const api = await startApiServer(50)
  if (how === 'lists') api.faults.refuseStreams()
  prepare?.(api)
  for (const name of ['a', 'b']) api.put('Service', service(name, 1))
  const names = new Map<string, number>()
  const lists: number[] = []
  const lines: string[] = []
  const write = (message: string, fields = {}) => lines.push(`${message} ${JSON.stringify(fields)}`)
  const log: Logger = { info: write, warning: write, error: write, detail: () => {} }
  const remember = (object: ApiObject) => names.set(object.metadata.name, (object as unknown as { turn: number }).turn)
  const reflection = reflect({
    connect: () => connect(api.url),
    source: { kind: 'Service', path: PATHS.Service, isOptional: true },
    receiver: {
      reduce: (_, object) => object,
      replace: (_, objects) => {
        lists.push(objects.length)
        names.clear()
        for (const object of objects) remember(object)
      },
      apply: (_, type, object) => (type === 'DELETED' ? names.delete(object.metadata.name) : remember(object)),
    },
    log,
    times: { ...TIMES, ...times },
  })
  onTestFinished(() => {
    reflection.stop()
    api.close()
  })
  // A stream is open before its objects arrive.
  if (!prepare) {
    await vi.waitFor(
      () => expect({ watches: api.openWatches(), lists: lists.length }).toEqual({ watches: 1, lists: 1 }),
      {
        timeout: 5_000,
      },
    )
  }
  return { api, names, lists, lines, reflection }
}

const service = (name: string, turn: number) => ({ metadata: { namespace: 'default', name }, turn }) as ApiObject
const shows = (names: ReadonlyMap<string, number>, expected: Readonly<Record<string, number>>) =>
  vi.waitFor(() => expect(Object.fromEntries(names)).toEqual(expected), 10_000)

afterEach(() => vi.useRealTimers())

const FAULTS: Readonly<Record<string, (api: ApiServer) => void | Promise<void>>> = {
  'connections are reset': (api) => api.faults.reset(),
  'the API server is away': (api) => api.faults.restart(100),
  'events are truncated': (api) => api.faults.truncate(2),
  'watches are half-open': (api) => api.faults.freeze(),
}

describe.each(['streams', 'lists'] as const)('reflect with %s', (how) => {
  it('lists objects, and applies added, changed and deleted objects', async () => {
    const { api, names, lists } = await mirror({}, undefined, how)
    expect(lists).toEqual([2])
    api.put('Service', service('c', 1))
    api.put('Service', service('a', 2))
    api.remove('Service', service('b', 1))
    await shows(names, { a: 2, c: 1 })
    expect(lists).toEqual([2])
  })

  it('continues soon after the API server is back, however long it was away', async () => {
    const { api, names, lines } = await mirror({ pause: 10, longest: 3_600_000, unconnected: 10 }, undefined, how)
    const failures = () => lines.filter((line) => line.includes('no answer from the API server')).length
    // If each pause were twice as long as the one before, so many attempts would take hours.
    await api.faults.restart(() => vi.waitFor(() => expect(failures()).toBeGreaterThan(20), 50_000))
    api.put('Service', service('a', 2))
    await shows(names, { a: 2, b: 1 })
  })

  it('continues soon after the network is back, however long it lost all packets', async () => {
    let isLossy = false
    const connect = (server: string) => (isLossy ? connectWithLoss(server) : connectTo(server))
    const times = { pause: 10, longest: 3_600_000, unconnected: 10, connect: 100 }
    const { api, names, lines } = await mirror(times, undefined, how, connect)
    isLossy = true
    api.faults.reset()
    const failures = () => lines.filter((line) => line.includes('the server does not accept connections')).length
    await vi.waitFor(() => expect(failures()).toBeGreaterThan(20), 50_000)
    api.put('Service', service('a', 2))
    isLossy = false
    await shows(names, { a: 2, b: 1 })
  })

  it('resends a request from before a network failure, and lists only once', async () => {
    const { api, names, lists, reflection } = await mirror({ stale: 3_600_000 }, undefined, how)
    api.faults.freeze()
    api.put('Service', service('a', 2))
    reflection.resend(performance.now() + 1)
    await shows(names, { a: 2, b: 1 })
    expect(lists).toEqual([2])
  })

  it('does not resend a request from after a network failure', async () => {
    const failedSince = performance.now()
    const { api, names, reflection } = await mirror({}, undefined, how)
    const before = { ...api.counts }
    reflection.resend(failedSince)
    api.put('Service', service('a', 2))
    await shows(names, { a: 2, b: 1 })
    expect(api.counts).toEqual({ ...before, bytes: api.counts.bytes })
  })

  it.each(Object.entries(FAULTS))('applies every change and lists only once if %s', async (_, fault) => {
    const { api, names, lists } = await mirror({}, undefined, how)
    const done = fault(api)
    api.put('Service', service('a', 2))
    await done
    api.put('Service', service('c', 1))
    await shows(names, { a: 2, b: 1, c: 1 })
    expect(lists).toEqual([2])
  })

  it('applies every change if complete events follow a truncated event', async () => {
    const { api, names } = await mirror({}, undefined, how)
    api.faults.truncate(1)
    for (const name of ['c', 'd', 'e']) api.put('Service', service(name, 1))
    await shows(names, { a: 1, b: 1, c: 1, d: 1, e: 1 })
  })

  it('lists again and removes deleted objects if the server no longer has the version', async () => {
    const { api, names, lists } = await mirror({}, undefined, how)
    api.faults.answer(503)
    api.remove('Service', service('b', 1))
    api.faults.expire()
    api.faults.answer(0)
    await shows(names, { a: 1 })
    expect(lists).toEqual([2, 1])
  })

  it.each([410, 500])('lists again if a watch ends with an error event of status %i', async (status) => {
    const { api, names } = await mirror({}, undefined, how)
    api.faults.expire(status)
    api.put('Service', service('c', 1))
    await shows(names, { a: 1, b: 1, c: 1 })
  })

  it('lists again if the server has an earlier version than the watch', async () => {
    const { api, names } = await mirror({}, undefined, how)
    api.faults.restoreBackup()
    api.put('Service', service('c', 1))
    await shows(names, { a: 1, b: 1, c: 1 })
  })

  it('discards a truncated list', async () => {
    const { api, names, lists } = await mirror({}, undefined, how)
    api.put('Service', service('c', 1))
    api.faults.truncate(2)
    api.faults.expire()
    await shows(names, { a: 1, b: 1, c: 1 })
    expect(lists).toEqual([2, 3])
    expect(api.counts.truncated).toBe(2)
  })
})

it('reflect reads a stream instead of a list, and requests it once if the server refuses it', async () => {
  const { api } = await mirror()
  expect(api.counts).toMatchObject({ streams: 1, lists: 0, watches: 0 })
  const other = await mirror({}, undefined, 'lists')
  other.api.faults.expire()
  await vi.waitFor(() => expect(other.lists).toEqual([2, 2]), 5_000)
  expect(other.api.counts).toMatchObject({ streams: 0, refused: 1, lists: 2 })
})

it('reflect lists if a stream has no end of its list, and tries a stream the next time', async () => {
  const { api, lists } = await mirror({}, (server) => server.faults.forgetEnds())
  await vi.waitFor(() => expect(lists).toEqual([2]), 5_000)
  expect(api.counts).toMatchObject({ streams: 1, lists: 1 })
  api.faults.expire()
  await vi.waitFor(() => expect(lists).toEqual([2, 2]), 5_000)
  expect(api.counts).toMatchObject({ streams: 2, lists: 2 })
})

it('reflect joins the pages of a list, but lists without pages after a page expires', async () => {
  const { api, lists } = await mirror({}, undefined, 'lists')
  for (let count = 0; count < 1_200; count++) api.put('Service', service(`s-${count}`, 1))
  api.faults.expire()
  await vi.waitFor(() => expect(lists).toEqual([2, 1_202]), 10_000)
  api.faults.expirePages()
  api.faults.expire()
  await vi.waitFor(() => expect(lists).toEqual([2, 1_202, 1_202]), 10_000)
})

it.each([403, 404])('reflect treats an optional kind as empty if the list request has status %i', async (status) => {
  const { lists } = await mirror({}, (api) => api.faults.answer(status))
  await vi.waitFor(() => expect(lists).toEqual([0]), 5_000)
})

it('reflect waits longer after each failure, and logs each kind of failure', async () => {
  const { api, lines } = await mirror({ pause: 20, longest: 10_000 })
  api.faults.answer(401)
  const refused = () => lines.filter((line) => line.includes('HTTP status 401'))
  await vi.waitFor(() => expect(refused().length).toBeGreaterThan(2), 10_000)
  api.faults.answer(0)
  await vi.waitFor(() => expect(api.openWatches()).toBe(1), 10_000)
})

it('reflect sends no request after it stops', async () => {
  const { api, reflection } = await mirror()
  reflection.stop()
  await vi.waitFor(() => expect(api.openWatches()).toBe(0), 5_000)
  const before = { ...api.counts }
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(api.counts).toEqual(before)
})
