// Sends packets and prints the observations of each kind as JSON: the number of each response, `NAME ADDRESS` of the
// server, and of each error, including `timeout`. Its standard input defines the packets:
// `[{ protocol, source, destination, port, count, milliseconds, sourcePort }]`. It sends all kinds in parallel.
//
// node probe.mjs
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'

/** Maximum number of parallel packets of one kind. */
const AT_ONCE = 16

const kinds = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(await Promise.all(kinds.map(observe))))

async function observe(kind) {
  const answers = {}
  const errors = {}
  const add = (counts, what) => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const request = kind.protocol === 'TCP' ? requestTcp : requestUdp
  let sent = 0
  const sendInTurn = async () => {
    while (sent++ < kind.count) {
      await request(kind).then(
        (text) => add(answers, text.trim()),
        (error) => add(errors, error.code),
      )
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendInTurn))
  return { answers, errors }
}

function requestTcp({ source, destination, port, milliseconds, sourcePort }) {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect({ host: destination, port, localAddress: source, localPort: sourcePort })
    socket.setTimeout(milliseconds, () => socket.destroy(timeout()))
    socket.on('data', (data) => {
      text += data
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

function requestUdp({ source, destination, port, milliseconds, sourcePort }) {
  const socket = createSocket(source.includes(':') ? 'udp6' : 'udp4')
  const answered = new Promise((resolve, reject) => {
    setTimeout(() => reject(timeout()), milliseconds).unref()
    socket.on('message', (data) => resolve(String(data)))
    socket.on('error', reject)
    socket.bind(sourcePort, source, () => {
      socket.connect(port, destination, (error) => (error ? reject(error) : socket.send('?')))
    })
  })
  return answered.finally(() => socket.close())
}

function timeout() {
  return Object.assign(new Error('no answer'), { code: 'timeout' })
}
