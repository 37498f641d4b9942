import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { Connect } from './connection.js'

export interface ApiRequest {
  readonly path: string
  /** The object to create. Default: none, and the request is a GET. */
  readonly body?: object
  /** The timeout to connect, and between two bytes of the answer, in milliseconds. */
  readonly silence: number
  /** Abandons the request. */
  readonly signal?: AbortSignal | undefined
  /** Receives the lines of an answer with status 200. If the function throws, the request ends with the error, and no further line is read. */
  readonly onLine?: (line: string) => void
  /** Receives the figures of the request when it ends. */
  readonly onEnd?: ((report: RequestReport) => void) | undefined
}

/** The figures of a request, for metrics. Undefined values are unknown, because the request failed before. */
export interface RequestReport {
  readonly host: string
  readonly method: string
  readonly status: number | undefined
  /** The time until the headers of the response. */
  readonly seconds: number | undefined
  readonly sentBytes: number
  readonly receivedBytes: number | undefined
}

/** An error before the server accepted the connection: it is away, or behind a broken network. */
export class ConnectionError extends Error {}

/**
 * The timeout of a connection attempt, in milliseconds. The kernel repeats its packets after 1, 3, 7 and 15 seconds, so a
 * new attempt finds the end of a network failure sooner.
 */
const CONNECT_TIMEOUT = 1_200

/**
 * The silence after which the kernel probes the connection, in milliseconds. Node.js sends ten probes, one a second, and
 * then ends the connection. Otherwise the server would repeat lost events only after up to twice the time of the failure.
 */
const PROBE_AFTER = 2_000

/**
 * Sends one request. Rejects if the body of the answer is shorter than announced. `text` is the part that `onLine` did
 * not receive: the rest after the last line break.
 */
export async function sendRequest(connect: Connect, request: ApiRequest): Promise<{ status: number; text: string }> {
  const { path, body, silence, signal, onLine, onEnd } = request
  const kubeConfig = connect()
  const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) }
  const method = body ? 'POST' : 'GET'
  const options: RequestOptions = { headers, method, timeout: silence, ...(signal && { signal }) }
  await kubeConfig.applyToHTTPSOptions(options)
  const url = new URL(`${kubeConfig.getCurrentCluster()?.server}${path}`)
  const content = body && JSON.stringify(body)
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
  const report = { host: url.host, method, sentBytes: Buffer.byteLength(content ?? '') }
  let figures: Pick<RequestReport, 'status' | 'seconds'> = { status: undefined, seconds: undefined }
  let receivedBytes: number | undefined
  const start = performance.now()
  try {
    const response = await responseOf(sent, { silence, signal, content })
    figures = { status: response.statusCode, seconds: (performance.now() - start) / 1000 }
    const status = response.statusCode ?? 0
    receivedBytes = 0
    let text = ''
    for await (const part of response) {
      receivedBytes += Buffer.byteLength(part)
      text += part
      if (onLine === undefined || status !== 200) continue
      const lines = text.split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) onLine(line)
    }
    return { status, text }
  } finally {
    onEnd?.({ ...report, ...figures, receivedBytes })
  }
}

/** Sends the body, and waits for the headers of the response. */
async function responseOf(
  sent: ClientRequest,
  { silence, signal, content }: Pick<ApiRequest, 'silence' | 'signal'> & { readonly content: string | undefined },
): Promise<IncomingMessage> {
  let response: IncomingMessage | undefined
  const isConnected = watchConnection(sent)
  // The option `timeout` includes the time to connect.
  sent.on('timeout', () => (response ?? sent).destroy(new Error(`no byte for ${silence} ms`)))
  sent.on('error', () => {}) // The response has the error, too.
  sent.end(content)
  const [received] = (await once(sent, 'response').catch((error) => {
    throw isConnected() || signal?.aborted ? error : new ConnectionError(error.message)
  })) as [IncomingMessage]
  response = received
  response.setEncoding('utf8')
  return response
}

/** Limits the time to connect, and probes the connection. Returns a function that reports whether it was accepted. */
function watchConnection(sent: ClientRequest): () => boolean {
  let isConnected = false
  const timer = setTimeout(() => sent.destroy(new Error('the server does not accept connections')), CONNECT_TIMEOUT)
  sent.once('close', () => clearTimeout(timer))
  sent.once('socket', (socket) => {
    const connected = () => {
      isConnected = true
      clearTimeout(timer)
      socket.setKeepAlive(true, PROBE_AFTER)
    }
    if (socket.connecting) socket.once('connect', connected)
    else connected()
  })
  return () => isConnected
}
