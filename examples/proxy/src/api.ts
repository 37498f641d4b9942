import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { Connect } from './connection.js'

export interface ApiRequest {
  readonly path: string
  /** The object to create. Default: none, and the request is a GET. */
  readonly body?: object
  /** The timeout between two bytes of the answer, in milliseconds. */
  readonly silence: number
  /** The timeout to connect, in milliseconds. Default: `CONNECT_TIMEOUT`. */
  readonly connectTimeout?: number | undefined
  /** Abandons the request. */
  readonly signal?: AbortSignal | undefined
  /**
   * Receives the parts of the text of an answer with status 200. If the function throws, the request ends with the
   * error, and no further part is read.
   */
  readonly onPart?: (part: string) => void
  /** Receives the figures of the request: when the headers of the response arrive or it fails, and when its body ends. */
  readonly onReport?: ((report: RequestReport) => void) | undefined
}

/** Figures of a request, for metrics. */
export type RequestReport = { readonly host: string; readonly method: string } & (
  | {
      readonly sentBytes: number
      /** The status, and the time until the headers of the response. Undefined if the request has failed before. */
      readonly response: { readonly status: number; readonly seconds: number } | undefined
    }
  | { readonly receivedBytes: number }
)

/** An error before the server accepted the connection: it is away, or behind a broken network. */
export class ConnectionError extends Error {}

/**
 * The timeout of a connection attempt, in milliseconds. The kernel repeats its packets after 1, 3, 7 and 15 seconds, so a
 * new attempt finds the end of a network failure sooner.
 */
export const CONNECT_TIMEOUT = 1_200

/**
 * The silence after which the kernel probes the connection, in milliseconds. Node.js sends ten probes, one a second, and
 * then ends the connection. Otherwise the server would repeat lost events only after up to twice the time of the failure.
 */
const PROBE_AFTER = 2_000

/**
 * Sends one request. Rejects if the body of the answer is shorter than announced. `text` is empty if `onPart` has
 * received it.
 */
export async function sendRequest(connect: Connect, request: ApiRequest): Promise<{ status: number; text: string }> {
  const { path, body, signal, onPart, onReport } = request
  const kubeConfig = connect()
  const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) }
  const method = body ? 'POST' : 'GET'
  const options: RequestOptions = { headers, method, timeout: request.silence, ...(signal && { signal }) }
  await kubeConfig.applyToHTTPSOptions(options)
  const url = new URL(`${kubeConfig.getCurrentCluster()?.server}${path}`)
  const content = body && JSON.stringify(body)
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
  const names = { host: url.host, method }
  const report = { ...names, sentBytes: Buffer.byteLength(content ?? '') }
  const start = performance.now()
  const response = await responseOf(sent, request, content).catch((error) => {
    onReport?.({ ...report, response: undefined })
    throw error
  })
  const status = response.statusCode ?? 0
  onReport?.({ ...report, response: { status, seconds: (performance.now() - start) / 1000 } })
  let receivedBytes = 0
  let text = ''
  for await (const part of response) {
    receivedBytes += Buffer.byteLength(part)
    if (onPart !== undefined && status === 200) onPart(part)
    else text += part
  }
  onReport?.({ ...names, receivedBytes })
  return { status, text }
}

/**
 * Reports whether the server accepts a new connection. Its answer does not matter: a busy server is reachable, too. Each
 * client may read the version.
 */
export function isReachable(
  connect: Connect,
  options: Pick<ApiRequest, 'connectTimeout' | 'onReport'>,
): Promise<boolean> {
  return sendRequest(connect, { path: '/version', silence: CONNECT_TIMEOUT, ...options }).then(
    () => true,
    (error) => !(error instanceof ConnectionError),
  )
}

/** Sends the body, and waits for the headers of the response. */
async function responseOf(
  sent: ClientRequest,
  { silence, connectTimeout = CONNECT_TIMEOUT, signal }: ApiRequest,
  content: string | undefined,
): Promise<IncomingMessage> {
  let response: IncomingMessage | undefined
  const isConnected = watchConnection(sent, connectTimeout)
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
function watchConnection(sent: ClientRequest, timeout: number): () => boolean {
  let isConnected = false
  const timer = setTimeout(() => sent.destroy(new Error('the server does not accept connections')), timeout)
  sent.once('close', () => clearTimeout(timer))
  sent.once('socket', (socket) => {
    const connected = () => {
      isConnected = true
      clearTimeout(timer)
      socket.setKeepAlive(true, PROBE_AFTER)
    }
    if (socket.connecting) socket.once('connect', connected)
    else if (!socket.destroyed) connected()
  })
  return () => isConnected
}
