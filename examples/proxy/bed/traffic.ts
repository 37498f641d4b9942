import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type Cluster, clusterIPOf, STEADY } from './cluster.js'

/** The timeout of a request in milliseconds. A request slower than `SLOW` may have been dropped once and sent again. */
const LIMIT = 15_000
const SLOW = 900
const TICK = 100

/** Sends requests to Services from the node, one after another, until `stop`. Each failure is reported immediately. */
export function startTraffic(cluster: Cluster, interval: number, report: (failure: string) => void) {
  const counts = { sent: 0, failed: 0, wrong: 0, excused: 0, slow: 0 }
  const slow: string[] = []
  /** Whether another program removed rules, so that requests may fail. */
  let isExcused = false
  let excuses = 0
  let next = 0
  const timer = setInterval(() => {
    const index = next++ % STEADY
    const [sent, wasExcused, before] = [Date.now(), isExcused, excuses]
    const mayAnswer = cluster.expectAnswer(index)
    counts.sent += 1
    const request = index % 5 === 4 ? requestUdp : requestTcp
    request(clusterIPOf(index), 80).then(
      (address) => {
        const isUnexcused = !wasExcused && excuses === before
        if (isUnexcused && Date.now() - sent > SLOW) {
          counts.slow += 1
          slow.push(`service-${index} took ${Date.now() - sent} ms at ${new Date(sent).toISOString()}`)
        }
        if (mayAnswer(address)) return
        counts.wrong += 1
        report(`service-${index} was answered by ${address}, which is no endpoint`)
      },
      (error: Error) => {
        if (wasExcused || excuses > before) counts.excused += 1
        else {
          counts.failed += 1
          report(`service-${index}: ${error.message}, sent at ${new Date(sent).toISOString()}`)
        }
      },
    )
  }, interval)
  return {
    counts,
    slow,
    excuse: (value: boolean) => {
      isExcused = value
      if (value) excuses += 1
    },
    stop: () => clearInterval(timer),
  }
}

/**
 * Calls a function after the timeout. Returns a function that cancels the call. Only the time in which this process
 * runs counts: if the process stalls on a busy machine, the answer waits with it. An interval omits ticks that it missed.
 */
function startTimeout(onEnd: () => void): () => void {
  let ticks = 0
  const timer = setInterval(() => {
    ticks += 1
    if (ticks * TICK < LIMIT) return
    clearInterval(timer)
    onEnd()
  }, TICK)
  return () => clearInterval(timer)
}

export async function requestTcp(host: string, port: number): Promise<string> {
  const socket = connect({ host, port })
  const cancel = startTimeout(() => socket.destroy(new Error('no answer')))
  let text = ''
  try {
    for await (const data of socket) text += data
    return text.trim()
  } finally {
    cancel()
  }
}

async function requestUdp(host: string, port: number): Promise<string> {
  const socket = createSocket('udp4')
  const abort = new AbortController()
  const cancel = startTimeout(() => abort.abort(new Error('no answer')))
  socket.send('?', port, host)
  try {
    const [data] = await once(socket, 'message', { signal: abort.signal })
    return String(data).trim()
  } finally {
    cancel()
    socket.close()
  }
}
