// Answers every TCP connection and UDP packet with the address that it was sent to. One process acts as all pods.
//
//     node dist/pod.mjs PORT ADDRESS...
import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

const [port = '8080', ...addresses] = process.argv.slice(2)

createServer((socket) => {
  socket.on('error', () => {})
  socket.end(`${socket.localAddress}\n`)
}).listen({ port: Number(port), host: '0.0.0.0', backlog: 4096 }, () => process.stdout.write('ready\n'))
for (const address of addresses) {
  const socket = createSocket('udp4')
  socket.on('message', (_, from) => socket.send(`${address}\n`, from.port, from.address))
  socket.bind(Number(port), address)
}
