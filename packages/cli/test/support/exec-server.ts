import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { ToolOutput } from '../../src/cli-context.js'

/** Runs the command of `kubectl exec` in a Pod. */
export type ExecHandler = (pod: string, command: readonly string[], stdin: string) => Promise<ToolOutput> | ToolOutput

/** The channels of the protocol v5.channel.k8s.io, and the channel that closes another channel. */
const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, close: 255 } as const
const PROTOCOL = 'v5.channel.k8s.io'
const OPCODES = { binary: 2, close: 8 } as const

/** Serves a request of `kubectl exec -i` over a WebSocket, as an API server does. */
export function serveExec(request: IncomingMessage, socket: Duplex, exec: ExecHandler): void {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const pod = /\/pods\/([^/]+)\/exec$/.exec(url.pathname)?.[1] ?? ''
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Protocol: ${PROTOCOL}\r\n` +
      `Sec-WebSocket-Accept: ${createHash('sha1').update(key).digest('base64')}\r\n\r\n`,
  )
  const stdin: Buffer[] = []
  let rest = Buffer.alloc(0)
  socket.on('error', () => {})
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data])
    for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
      rest = rest.subarray(frame.length)
      if (frame.opcode !== OPCODES.binary) continue
      if (frame.payload[0] === CHANNELS.stdin) stdin.push(frame.payload.subarray(1))
      else if (frame.payload[0] === CHANNELS.close) finish()
    }
  })
  const finish = async () => {
    const { exitCode, stdout, stderr } = await exec(
      pod,
      url.searchParams.getAll('command'),
      Buffer.concat(stdin).toString(),
    )
    send(CHANNELS.stdout, stdout)
    send(CHANNELS.stderr, stderr)
    send(CHANNELS.error, JSON.stringify(statusOf(exitCode)))
    socket.end(createFrame(OPCODES.close, Buffer.from([3, 232])))
  }
  const send = (channel: number, text: string) =>
    socket.write(createFrame(OPCODES.binary, Buffer.concat([Buffer.from([channel]), Buffer.from(text)])))
}

function statusOf(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' }
  const details = { causes: [{ reason: 'ExitCode', message: String(exitCode) }] }
  const message = `command terminated with non-zero exit code: exit status ${exitCode}`
  return { metadata: {}, status: 'Failure', reason: 'NonZeroExitCode', message, details }
}

/** Reads one masked frame of a client; undefined if it is incomplete. */
function readFrame(data: Buffer) {
  if (data.length < 2) return undefined
  const short = (data[1] ?? 0) & 0x7f
  const sizeBytes = short === 126 ? 2 : short === 127 ? 8 : 0
  const start = 2 + sizeBytes + 4
  if (data.length < start) return undefined
  const size = sizeBytes === 0 ? short : sizeBytes === 2 ? data.readUInt16BE(2) : Number(data.readBigUInt64BE(2))
  if (data.length < start + size) return undefined
  const mask = data.subarray(start - 4, start)
  const payload = Buffer.from(data.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0)))
  return { opcode: (data[0] ?? 0) & 0x0f, payload, length: start + size }
}

function createFrame(opcode: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(payload.length < 126 ? 2 : payload.length < 65_536 ? 4 : 10)
  head[0] = 0x80 | opcode
  if (payload.length < 126) head[1] = payload.length
  else if (payload.length < 65_536) {
    head[1] = 126
    head.writeUInt16BE(payload.length, 2)
  } else {
    head[1] = 127
    head.writeBigUInt64BE(BigInt(payload.length), 2)
  }
  return Buffer.concat([head, payload])
}
