// Sends requests until it is stopped, or answers them.
//
//   node stream.mjs serve HOST PORT                  answers what is sent to it by TCP and UDP with the same
//   node stream.mjs send STOP HOST PORT HOST PORT    sends by TCP and by UDP until there is a file STOP, then prints as JSON how
//                                                    many requests there were and what became of those that failed
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'

/** The number of long TCP connections, and of UDP sockets that keep their port. */
const STREAMS = 8
const PAUSE = 10
/** The timeout in milliseconds, which is long enough not to report a slow machine as a lost packet. */
const PATIENCE = 20_000

let numbers = 0

const [verb, ...args] = process.argv.slice(2)
await (verb === 'serve' ? serve(...args) : send(...args))

async function serve(host, port) {
  const server = createServer((socket) => socket.on('error', () => {}).pipe(socket))
  await once(server.listen(Number(port), host), 'listening')
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (data, from) => socket.send(data, from.port, from.address))
  await once(socket.bind(Number(port), host), 'listening')
  console.log('ready')
}

async function send(stop, tcpHost, tcpPort, udpHost, udpPort) {
  const counts = { requests: { longTcp: 0, newTcp: 0, udp: 0 }, failed: {} }
  const untilStop = async (kind, request) => {
    while (!existsSync(stop)) {
      counts.requests[kind]++
      await request().catch((error) => {
        const what = `${kind}: ${error.code ?? error.message}`
        counts.failed[what] = (counts.failed[what] ?? 0) + 1
      })
      await setTimeout(PAUSE)
    }
  }
  const streams = Array.from({ length: STREAMS }, async () => {
    const long = await connected(tcpHost, tcpPort)
    const udp = await udpSocket(udpHost, udpPort)
    await Promise.all([
      untilStop('longTcp', () => exchange(long, (text) => long.write(text), 'data')),
      untilStop('newTcp', async () => {
        const fresh = await connected(tcpHost, tcpPort)
        await exchange(fresh, (text) => fresh.write(text), 'data').finally(() => fresh.destroy())
      }),
      untilStop('udp', () => exchange(udp, (text) => udp.send(text), 'message')),
    ])
    long.destroy()
    udp.close()
  })
  await Promise.all(streams)
  console.log(JSON.stringify(counts))
}

async function connected(host, port) {
  const socket = connect({ host, port: Number(port) })
  await once(socket, 'connect', { signal: AbortSignal.timeout(PATIENCE) })
  socket.on('error', () => {})
  return socket
}

async function udpSocket(host, port) {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.connect(Number(port), host)
  await once(socket, 'connect')
  return socket
}

/** Sends a unique text and waits until the server returns it. */
async function exchange(socket, write, event) {
  const text = String(numbers++)
  const answer = once(socket, event, { signal: AbortSignal.timeout(PATIENCE) })
  write(text)
  const [data] = await answer
  if (String(data) !== text) throw new Error('another answer')
}
