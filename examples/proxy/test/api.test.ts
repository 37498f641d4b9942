import { connect, Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { startApiServer } from '../bed/api-server.js'
import { ConnectionError, isReachable, sendRequest } from '../src/api.js'
import { connectTo } from '../src/connection.js'
import { connectWith, connectWithLoss } from './lost-packets.js'

const REQUEST = { path: '/api/v1/services', silence: 60_000 }

it('sendRequest reports a server that refuses connections as not connected', async () => {
  const api = await startApiServer()
  api.close()
  await expect(sendRequest(() => connectTo(api.url), REQUEST)).rejects.toThrow(ConnectionError)
})

it('sendRequest abandons a connection attempt without an answer before the kernel does', async () => {
  const sent = sendRequest(() => connectWithLoss('http://192.0.2.1'), { ...REQUEST, connectTimeout: 10 })
  await expect(sent).rejects.toThrow(new ConnectionError('the server does not accept connections'))
})

it('sendRequest reports a network without a route to the server as not connected', async () => {
  const createSocket = () => {
    const socket = new Socket()
    // Node.js destroys such a socket before the request receives it.
    process.nextTick(() => socket.destroy(new Error('connect ENETUNREACH')))
    return socket
  }
  await expect(sendRequest(() => connectWith('http://192.0.2.1', createSocket), REQUEST)).rejects.toThrow(
    ConnectionError,
  )
})

it('isReachable reports whether the server accepts a connection, also if it answers with an error', async () => {
  const api = await startApiServer()
  api.faults.answer(503)
  expect(await isReachable(() => connectTo(api.url), {})).toBe(true)
  api.close()
  expect(await isReachable(() => connectTo(api.url), {})).toBe(false)
})

it('sendRequest probes an accepted connection, which then ends soon if the network loses all packets', async () => {
  const api = await startApiServer()
  onTestFinished(api.close)
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
  const setKeepAlive = vi.spyOn(socket, 'setKeepAlive')
  await sendRequest(() => connectWith(api.url, () => socket), REQUEST)
  expect(setKeepAlive.mock.calls).toEqual([[true, 2_000]])
})
