import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ABORTED_ERROR, type EngineClient } from '../../src/engine/engine-client.js'
import { createLatestOnlyQueue } from '../../src/engine/latest-only-queue.js'
import type { ResultKind } from '../../src/engine/results.js'
import { DEFAULT_REQUEST, type PlaygroundRequest } from '../../src/question/playground-request.js'

interface Asked {
  readonly name: string
  readonly reply: () => Promise<void>
  readonly fail: (error: Error) => Promise<void>
}

/** Creates a queue whose client replies on demand; requests are named `rules of a` by part and objects. */
function createQueue() {
  const asked: Asked[] = []
  const events: string[] = []
  const client: EngineClient = {
    ask: (part, { objects }) =>
      new Promise((resolve, reject) => {
        const settle = async (action: () => void) => {
          action()
          // Waits until the queue has handled the reply.
          await new Promise((handled) => setTimeout(handled))
        }
        asked.push({
          name: `${part} of ${objects}`,
          reply: () => settle(() => resolve(objects as never)),
          fail: (error) => settle(() => reject(error)),
        })
      }),
    abandon: () => void events.push('abandon'),
  }
  const queue = createLatestOnlyQueue(
    client,
    (part, answer) => void events.push(`${part} of ${String(answer)}`),
    (error) => void events.push(String(error)),
    () => void events.push('idle'),
  )
  return {
    events,
    names: () => asked.map(({ name }) => name),
    last: () => asked.at(-1) as Asked,
    find: (name: string) => asked.find((each) => each.name === name) as Asked,
    ask: (objects: string, parts: readonly ResultKind[] = ['rules', 'packet', 'change'], packet = '') =>
      queue.ask({ ...DEFAULT_REQUEST, objects, packet } satisfies PlaygroundRequest, parts),
  }
}

describe('createLatestOnlyQueue', () => {
  it('computes one part of the page after another, and then becomes idle', async () => {
    const { ask, names, last, events } = createQueue()
    ask('a')
    for (let part = 1; part <= 3; part++) {
      expect(names()).toHaveLength(part)
      await last().reply()
    }
    expect(events).toEqual(['rules of a', 'packet of a', 'change of a', 'idle'])
  })

  it('computes the rules again if the packet goes to another host of the objects', async () => {
    const { ask, names, last } = createQueue()
    const objects = 'address: 172.18.0.3, address: fd00::3'
    for (const [packet, expected] of [
      ['from pod → 10.96.0.10:53', 'rules'],
      ['from pod → 10.96.0.1:53/udp', ''],
      ['from pod → 172.18.0.3:53', 'rules'],
      ['from outside -> 172.18.0.3:80', ''],
      ['from outside -> [fd00::3]:80', 'rules'],
      ['', 'rules'],
    ] as const) {
      const count = names().length
      ask(objects, ['rules'], packet)
      expect(names().slice(count), packet).toEqual(expected === '' ? [] : [`rules of ${objects}`])
      await last().reply()
    }
  })

  it('computes rules while the computation of a change is running', async () => {
    const { ask, names, find, last, events } = createQueue()
    ask('a')
    await last().reply()
    await last().reply()
    ask('b')
    expect(names().slice(2)).toEqual(['change of a', 'rules of b'])
    await last().reply()
    await last().reply()
    expect(names()).not.toContain('change of b')
    await find('change of a').reply()
    await find('change of b').reply()
    expect(events.slice(2)).toEqual(['rules of b', 'packet of b', 'change of a', 'change of b', 'idle'])
  })

  it('waits for a pause in typing when a change takes long', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { ask, names, find, events } = createQueue()
    const reply = async (name: string) => {
      void find(name).reply()
      await vi.advanceTimersByTimeAsync(0)
    }
    ask('a', ['change'])
    await vi.advanceTimersByTimeAsync(100)
    await reply('change of a')
    ask('b', ['rules', 'change'])
    await reply('rules of b')
    expect(names()).not.toContain('change of b')
    await vi.advanceTimersByTimeAsync(100)
    ask('c', ['rules', 'change'])
    await reply('rules of c')
    await vi.advanceTimersByTimeAsync(100)
    expect(names()).toEqual(['change of a', 'rules of b', 'rules of c'])
    expect(events).toEqual(['change of a', 'idle', 'rules of b', 'rules of c'])
    await vi.advanceTimersByTimeAsync(30)
    expect(names().at(-1)).toBe('change of c')
    await reply('change of c')
    expect(events.slice(-2)).toEqual(['change of c', 'idle'])
  })

  it('skips requests between the running and the newest request', async () => {
    const { ask, names, last } = createQueue()
    ask('a', ['rules'])
    ask('b', ['rules'])
    ask('c', ['rules'])
    await last().reply()
    expect(names()).toEqual(['rules of a', 'rules of c'])
  })

  it('computes a part again when its computation was aborted', async () => {
    const { ask, names, last, events } = createQueue()
    ask('a', ['rules'])
    await last().fail(ABORTED_ERROR)
    expect(names()).toEqual(['rules of a', 'rules of a'])
    await last().fail(new Error('broken'))
    expect(events).toEqual(['Error: broken', 'idle'])
  })
})
