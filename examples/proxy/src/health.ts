import { createServer, type Server, type ServerResponse } from 'node:http'
import type { CompileResult } from '@kube-rules/compiler'
import {
  createHealthCheckResponse,
  formatHealthBody,
  type HealthBodyOptions,
  type HealthCheckServer,
  healthCheckServersOf,
  type ProxyHealth,
} from '@kube-rules/proxy-kit'
import { type Logger, textOf } from './log.js'
import type { Metrics } from './metrics.js'

type Route = (response: ServerResponse) => void | Promise<void>

/** The routes of a server, by their path. `*` stands for every other path. */
export type Routes = Readonly<Record<string, Route>>

/**
 * Serves the given paths at `IP:port`. Tries again while the address is in use. With `isOfOneFamily`, `0.0.0.0` and `::`
 * receive only connections of their own family.
 */
export function serve(
  address: string,
  routes: Routes,
  log: Logger,
  onFailure: (note: string) => void = () => {},
  isOfOneFamily = false,
): { close(): void } {
  const at = address.lastIndexOf(':')
  const written = address.slice(0, at).replace(/[[\]]/g, '')
  // As in Go, the unspecified address of one family receives both families, unless the server is for one family.
  const host = ['0.0.0.0', '::'].includes(written) && !isOfOneFamily ? undefined : written
  let timer: NodeJS.Timeout | undefined
  const server: Server = createServer((request, response) => {
    const [path = '/'] = (request.url ?? '/').split('?')
    const route = routes[path] ?? routes['*']
    if (route === undefined) response.writeHead(404).end('404 page not found\n')
    else Promise.resolve(route(response)).catch((error) => response.writeHead(500).end(textOf(error)))
  })
  const listen = () =>
    void (server.listening || server.listen({ host, port: Number(address.slice(at + 1)), ipv6Only: isOfOneFamily }))
  server.on('error', (error) => {
    log.error('cannot listen', { address, error: textOf(error) })
    if (timer === undefined) onFailure(textOf(error))
    timer = setTimeout(listen, 5_000)
  })
  listen()
  return {
    close: () => {
      clearTimeout(timer)
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Returns a route that answers with a text. */
export function answer(body: () => string | Promise<string>, type = 'text/plain; charset=utf-8'): Route {
  const headers = { 'content-type': type, 'x-content-type-options': 'nosniff' }
  return async (response) => void response.writeHead(200, headers).end(await body())
}

const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }

/** The facts about the proxy that its health server reports. */
export type HealthFacts = () => Pick<HealthBodyOptions, 'families' | 'kubernetesVersion'>

/** Returns the routes of the health server of the proxy itself. The clock of `health` is monotonic. */
export function healthRoutes(health: ProxyHealth, metrics: Metrics, factsOf: HealthFacts): Routes {
  const route = (path: '/healthz' | '/livez', counter: Metrics['healthz']) => (response: ServerResponse) => {
    const now = performance.now()
    const clockOffset = Date.now() - now
    const report = health.report(path, now)
    counter.inc({ code: `${report.status}` })
    const formatTime = (time: number) => new Date(clockOffset + time).toISOString()
    const body = formatHealthBody(path, report, { ...factsOf(), now, formatTime })
    response.writeHead(report.status, { ...JSON_HEADERS, 'content-length': Buffer.byteLength(body) }).end(body)
  }
  return { '/healthz': route('/healthz', metrics.healthz), '/livez': route('/livez', metrics.livez) }
}

/**
 * Serves the health-check node ports of the last result on the addresses that serve node ports, with one server for each
 * family.
 */
export function createServiceHealth(
  health: ProxyHealth,
  log: Logger,
  onFailure: (service: HealthCheckServer, note: string) => void,
) {
  const servers = new Map<string, { count: number; close(): void }>()

  function open(service: HealthCheckServer) {
    const { port, addresses } = service
    const report = (response: ServerResponse) => {
      const isHealthy = health.isHealthy(performance.now())
      const { status, headers, body } = createHealthCheckResponse(
        { ...service, localEndpoints: server.count },
        isHealthy,
      )
      response.writeHead(status, headers).end(body)
    }
    const listening = addresses.map((address) => {
      return serve(`[${address}]:${port}`, { '*': report }, log, (note) => onFailure(service, note), true)
    })
    const server = { count: 0, close: () => listening.forEach(({ close }) => void close()) }
    return server
  }

  return {
    update: (result: CompileResult) => {
      const keyOf = ({ namespace, name, port, family, addresses }: HealthCheckServer) =>
        `${namespace}/${name} ${port} ${family} ${addresses}`
      const wanted = new Map(healthCheckServersOf(result).map((service) => [keyOf(service), service]))
      for (const [key, server] of servers) {
        if (wanted.has(key)) continue
        server.close()
        servers.delete(key)
      }
      for (const [key, service] of wanted) {
        const server = servers.get(key) ?? open(service)
        server.count = service.localEndpoints
        servers.set(key, server)
      }
    },
    close: () => servers.forEach(({ close }) => void close()),
  }
}
