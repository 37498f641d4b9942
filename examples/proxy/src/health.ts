import { createServer, type Server, type ServerResponse } from 'node:http'
import type { CompileResult } from '@kube-rules/compiler'
import type { HealthCheckNodePort } from '@kube-rules/compiler/plan'
import { type Logger, textOf } from './log.js'
import type { Metrics } from './metrics.js'

/** The taint of a Node that the cluster autoscaler is about to remove. */
const TO_BE_DELETED = 'ToBeDeletedByClusterAutoscaler'

/**
 * Tracks whether changes reach the kernel, and whether load balancers should use the node. Mirrors `ProxyHealthServer`
 * of kube-proxy.
 */
export function createHealth(timeout: number, now: () => number = Date.now) {
  let lastUpdated: number | undefined
  let oldestPending: number | undefined
  let nodeEligible = true
  const isHealthy = () => lastUpdated === undefined || oldestPending === undefined || now() - oldestPending < timeout
  return {
    isHealthy,
    queued: () => {
      oldestPending ??= now()
    },
    /**
     * Records the success of a sync that started at `since`: changes queued before that time are done, later ones are
     * not.
     */
    updated: (since: number) => {
      lastUpdated = now()
      if (oldestPending !== undefined && oldestPending <= since) oldestPending = undefined
    },
    setNode: (node: unknown) => {
      const { metadata, spec } = node as {
        readonly metadata?: { readonly deletionTimestamp?: string }
        readonly spec?: { readonly taints?: readonly { readonly key: string }[] }
      }
      nodeEligible =
        metadata?.deletionTimestamp === undefined && !spec?.taints?.some(({ key }) => key === TO_BE_DELETED)
    },
    /** The body of `/livez`, or that of `/healthz` with the Node. */
    report: (withNode: boolean) => {
      const ok = isHealthy() && (!withNode || nodeEligible)
      const current = new Date(now()).toISOString()
      const updated = ok ? current : new Date(lastUpdated ?? 0).toISOString()
      const node = withNode ? `, "nodeEligible": ${nodeEligible}` : ''
      return { status: ok ? 200 : 503, body: `{"lastUpdated": "${updated}","currentTime": "${current}"${node}}` }
    },
  }
}

export type Health = ReturnType<typeof createHealth>

type Route = (response: ServerResponse) => void | Promise<void>

/** Serves the given paths. Tries again while the address is in use. */
export function serve(
  address: string,
  routes: Readonly<Record<string, Route>>,
  log: Logger,
  onFailure: (note: string) => void = () => {},
): { close(): void } {
  const { host, port } = splitAddress(address)
  let timer: NodeJS.Timeout | undefined
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname
    const route = routes[path] ?? routes['*']
    if (route === undefined) response.writeHead(404).end('404 page not found\n')
    else Promise.resolve(route(response)).catch((error) => response.writeHead(500).end(textOf(error)))
  })
  const listen = () => server.listen({ host, port })
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
  return async (response) => void response.writeHead(200, { 'content-type': type }).end(await body())
}

export function splitAddress(address: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? []
  return { host, port: Number(port) }
}

const JSON_HEADERS = { 'content-type': 'application/json', 'x-content-type-options': 'nosniff' }

/** Returns the routes of the health server of the proxy itself. */
export function healthRoutes(health: Health, metrics: Metrics): Readonly<Record<string, Route>> {
  const route = (withNode: boolean, counter: Metrics['healthz']) => (response: ServerResponse) => {
    const { status, body } = health.report(withNode)
    counter.inc({ code: `${status}` })
    response.writeHead(status, JSON_HEADERS).end(body)
  }
  return { '/healthz': route(true, metrics.healthz), '/livez': route(false, metrics.livez) }
}

/**
 * Serves the health-check node ports of the last result on the addresses that serve node ports. Both families share one
 * server, which reports the endpoints of both.
 */
export function createServiceHealth(health: Health, log: Logger, onFailure: (note: string) => void) {
  const servers = new Map<string, { count: number; close(): void }>()

  function open({ namespace, name, port }: HealthCheckNodePort, hosts: readonly string[]) {
    const report = (response: ServerResponse) => {
      const [localEndpoints, serviceProxyHealthy] = [server.count, health.isHealthy()]
      const headers = { ...JSON_HEADERS, 'x-load-balancing-endpoint-weight': `${localEndpoints}` }
      const body = JSON.stringify(
        { service: { namespace, name }, localEndpoints, serviceProxyHealthy },
        undefined,
        '\t',
      )
      response.writeHead(localEndpoints > 0 && serviceProxyHealthy ? 200 : 503, headers).end(body)
    }
    const note = (text: string) => onFailure(`${namespace}/${name}: ${text}`)
    const listening = hosts.map((host) => serve(`[${host}]:${port}`, { '*': report }, log, note))
    const server = { count: 0, close: () => listening.forEach(({ close }) => void close()) }
    return server
  }

  return {
    update: ({ families }: CompileResult) => {
      const everywhere = families.some(({ family }) => family === 'IPv6') ? '::' : '0.0.0.0'
      const isEverywhere = families.some(({ plan }) => plan.nodePorts.all)
      const hosts = isEverywhere ? [everywhere] : families.flatMap(({ plan }) => plan.nodePorts.addresses)
      const wanted = new Map<string, HealthCheckNodePort>()
      for (const each of families.flatMap(({ healthCheckNodePorts }) => healthCheckNodePorts)) {
        const key = `${each.namespace}/${each.name} ${each.port} ${hosts}`
        const known = wanted.get(key)?.localEndpoints ?? 0
        wanted.set(key, { ...each, localEndpoints: Math.max(known, each.localEndpoints) })
      }
      for (const [key, server] of servers) {
        if (wanted.has(key)) continue
        server.close()
        servers.delete(key)
      }
      for (const [key, port] of wanted) {
        const server = servers.get(key) ?? open(port, hosts)
        server.count = port.localEndpoints
        servers.set(key, server)
      }
    },
    close: () => {
      for (const server of servers.values()) server.close()
      servers.clear()
    },
  }
}
