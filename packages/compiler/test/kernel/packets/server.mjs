// Sends a response to every TCP connection and UDP packet, with its name and the source address that it sees.
//
// node server.mjs NAME HOST PORT...
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

const [name, host, ...ports] = process.argv.slice(2)
const reply = (address) => `${name} ${address}\n`

await Promise.all(ports.map(Number).flatMap((port) => [serveTcp(port), serveUdp(port)]))
console.log('ready')

function serveTcp(port) {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.end(reply(socket.remoteAddress))
  })
  return once(server.listen({ host, port, backlog: 1024 }), 'listening')
}

function serveUdp(port) {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4')
  socket.on('message', (_, from) => socket.send(reply(from.address), from.port, from.address))
  return once(socket.bind(port, host), 'listening')
}
