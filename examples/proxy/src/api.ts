import { once } from 'node:events'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { Connect } from './connection.js'

export interface ApiRequest {
  readonly path: string
  /** The object to create. Default: none, and the request is a GET. */
  readonly body?: object
  /** The timeout to connect, and between two bytes of the answer, in milliseconds. */
  readonly silence: number
  /** Abandons the request. */
  readonly signal?: AbortSignal
  /** Receives the lines of an answer with status 200. If the function throws, the request ends with the error, and no further line is read. */
  readonly onLine?: (line: string) => void
}

/**
 * Sends one request. Rejects if the body of the answer is shorter than announced. `text` is the part that `onLine` did
 * not receive: the rest after the last line break.
 */
export async function sendRequest(connect: Connect, request: ApiRequest): Promise<{ status: number; text: string }> {
  const { path, body, silence, signal, onLine } = request
  const kubeConfig = connect()
  const headers = { accept: 'application/json', ...(body && { 'content-type': 'application/json' }) }
  const options: RequestOptions = {
    headers,
    method: body ? 'POST' : 'GET',
    timeout: silence,
    ...(signal && { signal }),
  }
  await kubeConfig.applyToHTTPSOptions(options)
  const url = new URL(`${kubeConfig.getCurrentCluster()?.server}${path}`)
  const sent = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, options)
  let response: IncomingMessage | undefined
  // The option `timeout` includes the time to connect.
  sent.on('timeout', () => (response ?? sent).destroy(new Error(`no byte for ${silence} ms`)))
  sent.on('error', () => {}) // The response has the error, too.
  sent.end(body && JSON.stringify(body))
  const [received] = (await once(sent, 'response')) as [IncomingMessage]
  response = received
  response.setEncoding('utf8')
  const status = response.statusCode ?? 0
  let text = ''
  for await (const part of response) {
    text += part
    if (onLine === undefined || status !== 200) continue
    const lines = text.split('\n')
    text = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
  return { status, text }
}
