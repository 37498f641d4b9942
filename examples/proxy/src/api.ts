import { request as requestHttp } from 'node:http'
import { type RequestOptions, request as requestHttps } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'

/** Returns the connection of the moment. Credentials expire, so that each request asks for it. */
export type Connect = () => KubeConfig

export interface ApiRequest {
  readonly path: string
  /** The object to create. Default: nothing is sent, and the answer is read. */
  readonly body?: object
  /** An answer without a byte for so long is abandoned, in milliseconds. */
  readonly silence: number
  /** Receives a function that abandons the request. */
  readonly onAbort?: (stop: () => void) => void
  /** Receives the lines of an answer with status 200. If the function throws, the request ends with the error, and no further line is read. */
  readonly onLine?: (line: string) => void
}

/**
 * Sends one request. Rejects if the body of the answer is shorter than announced. `text` has what `onLine` did not receive: the rest after
 * the last line break.
 */
export async function sendRequest(connect: Connect, request: ApiRequest): Promise<{ status: number; text: string }> {
  const { path, body, silence, onAbort, onLine } = request
  const kubeConfig = connect()
  const options: RequestOptions = { headers: { accept: 'application/json' } }
  await kubeConfig.applyToHTTPSOptions(options)
  if (body !== undefined) {
    options.method = 'POST'
    options.headers = { ...options.headers, 'content-type': 'application/json' }
  }
  const url = new URL(`${kubeConfig.getCurrentCluster()?.server}${path}`)
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const fail = (error: unknown) => {
      reject(error)
      sent.destroy()
    }
    const sent = send(url, options, (response) => {
      const status = response.statusCode ?? 0
      let text = ''
      const readLines = (receive: (line: string) => void) => {
        const lines = text.split('\n')
        text = lines.pop() ?? ''
        for (const line of lines) receive(line)
      }
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
        try {
          if (onLine !== undefined && status === 200) readLines(onLine)
        } catch (error) {
          fail(error)
        }
      })
      response.on('error', reject)
      response.on('end', () => resolve({ status, text }))
    })
    sent.setTimeout(silence, () => fail(new Error(`no byte for ${silence} ms`)))
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    onAbort?.(() => fail(new Error('stopped')))
  })
}
