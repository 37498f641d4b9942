import { Counter, Histogram, type Registry } from 'prom-client'
import type { RequestReport } from './api.js'

const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]
const BYTES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216]

/** Creates the metrics of client-go about requests to the API server. Returns the function that records a request. */
export function createRequestMetrics(registry: Registry): (report: RequestReport) => void {
  const registers = [registry]
  const requests = new Counter({
    ...{ name: 'rest_client_requests_total', help: 'Requests to the API server', registers },
    labelNames: ['code', 'host', 'method'],
  })
  const histogram = (name: string, help: string, buckets: number[]) => {
    return new Histogram({ name: `rest_client_${name}`, help, registers, buckets, labelNames: ['host', 'verb'] })
  }
  const duration = histogram('request_duration_seconds', 'The time until the headers of the response', SECONDS)
  const requestSize = histogram('request_size_bytes', 'The size of the body of the request', BYTES)
  const responseSize = histogram('response_size_bytes', 'The size of the body of the response', BYTES)
  return ({ host, method, ...figures }) => {
    const labels = { host, verb: method }
    if ('receivedBytes' in figures) return responseSize.observe(labels, figures.receivedBytes)
    const { response, sentBytes } = figures
    requests.inc({ code: response === undefined ? '<error>' : `${response.status}`, host, method })
    if (response !== undefined) duration.observe(labels, response.seconds)
    requestSize.observe(labels, sentBytes)
  }
}
