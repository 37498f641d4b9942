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
}

/** Sends one request. Rejects if the body of the answer is shorter than announced. */
export async function sendRequest(connect: Connect, request: ApiRequest): Promise<{ status: number; text: string }> {
  const { path, body, silence, onAbort } = request
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
    const sent = send(url, options, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => parts.push(part))
      response.on('error', reject)
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString() }))
    })
    sent.setTimeout(silence, () => sent.destroy(new Error(`no byte for ${silence} ms`)))
    sent.on('error', reject)
    sent.end(body === undefined ? undefined : JSON.stringify(body))
    onAbort?.(() => sent.destroy(new Error('stopped')))
  })
}
