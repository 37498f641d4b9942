// Sends the first packet of one connection of each kind. Its standard input defines the packets: `[{ protocol, source,
// sourcePort, destination, destinationPort }]`. A rule may prevent sending, which is not an error here.
//
// node send.mjs
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'

await Promise.all(
  JSON.parse(readFileSync(0, 'utf8')).map((each) => (each.protocol === 'TCP' ? sendTcp : sendUdp)(each)),
)

function sendUdp({ source, sourcePort, destination, destinationPort }) {
  return new Promise((resolve) => {
    const socket = createSocket(source.includes(':') ? 'udp6' : 'udp4')
    socket.on('error', () => {})
    socket.bind(sourcePort, source, () => {
      socket.send('?', destinationPort, destination, () => socket.close(resolve))
    })
  })
}

async function sendTcp({ source, sourcePort, destination, destinationPort }) {
  const socket = connect({ localAddress: source, localPort: sourcePort, host: destination, port: destinationPort })
  socket.on('error', () => {})
  await setTimeout(50)
  socket.destroy()
}
