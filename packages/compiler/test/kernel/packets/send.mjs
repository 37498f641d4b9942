// Sends one UDP packet of each kind. Its standard input defines the packets: `[{ source, sourcePort, destination,
// destinationPort }]`. A rule may prevent sending, which is not an error here.
//
// node send.mjs
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'

await Promise.all(JSON.parse(readFileSync(0, 'utf8')).map(send))

function send({ source, sourcePort, destination, destinationPort }) {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    socket.on('error', () => {})
    socket.bind(sourcePort, source, () => {
      socket.send('?', destinationPort, destination, () => socket.close(resolve))
    })
  })
}
