import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../src/connection.js'
import type { ApiObject } from '../src/reflect.js'

interface Change {
  readonly version: number
  readonly path: string
  readonly type: string
  readonly object: ApiObject
}

interface OpenWatch {
  readonly path: string
  readonly response: ServerResponse
}

/** The API paths of the kinds that a proxy watches. */
export const PATHS = {
  Service: '/api/v1/services',
  EndpointSlice: '/apis/discovery.k8s.io/v1/endpointslices',
  Node: '/api/v1/nodes',
  ServiceCIDR: '/apis/networking.k8s.io/v1/servicecidrs',
} as const

export type Kind = keyof typeof PATHS

/** Starts a fake API server: paged lists, watches with bookmarks, and faults on demand. It ignores selectors. */
export async function startApiServer(bookmarkInterval = 500) {
  const objects = new Map<string, Map<string, ApiObject>>(Object.values(PATHS).map((path) => [path, new Map()]))
  let changes: Change[] = []
  let version = 1
  let oldest = 0
  let watches = new Set<OpenWatch>()
  const faults = { truncated: 0, status: 0, slow: 0, hasExpiredPages: false, refusesStreams: false, hasNoEnds: false }
  let expiredCode = 410
  const counts = { lists: 0, streams: 0, refused: 0, watches: 0, truncated: 0, gone: 0, bytes: 0 }
  const events: { reason: string; regarding: { name: string } }[] = []
  let server: Server

  /** Sends a list as events, with a bookmark after the last object. */
  async function stream(path: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    if (faults.refusesStreams) {
      counts.refused += 1
      return void response.writeHead(422).end('{}')
    }
    counts.streams += 1
    if (faults.slow > 0) await sleep(faults.slow)
    response.writeHead(200, { 'content-type': 'application/json' })
    const open = { path, response }
    for (const object of objects.get(path)?.values() ?? []) send(open, 'ADDED', object)
    const annotations = faults.hasNoEnds ? {} : { 'k8s.io/initial-events-end': 'true' }
    const metadata = { resourceVersion: `${version}`, annotations }
    send(open, 'BOOKMARK', { kind: 'Bookmark', metadata })
    keepOpen(open, query)
  }

  async function list(path: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    counts.lists += 1
    if (faults.slow > 0) await sleep(faults.slow)
    if (faults.hasExpiredPages && query.has('continue')) return void response.writeHead(410).end('{}')
    const limit = Number(query.get('limit') || 0) || Number.POSITIVE_INFINITY
    const [at, from] = (query.get('continue') ?? `${version} 0`).split(' ').map(Number) as [number, number]
    const all = [...(objects.get(path)?.values() ?? [])]
    const items = all.slice(from, from + limit)
    const next = from + limit < all.length ? `${at} ${from + limit}` : ''
    const text = JSON.stringify({ kind: 'List', metadata: { resourceVersion: `${at}`, continue: next }, items })
    counts.bytes += Buffer.byteLength(text)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    if (faults.truncated > 0) cut(response, text)
    else response.end(text)
  }

  /** Sends half of a text and resets the connection. */
  function cut(response: ServerResponse, text: string): void {
    faults.truncated -= 1
    counts.truncated += 1
    response.write(text.slice(0, text.length / 2), () => response.destroy())
  }

  function watch(path: string, query: URLSearchParams, response: ServerResponse): void {
    counts.watches += 1
    const from = Number(query.get('resourceVersion'))
    if (from > version) return void response.writeHead(504).end('{}')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const open = { path, response }
    if (from < oldest) {
      counts.gone += 1
      const object = { kind: 'Status', code: expiredCode, message: 'too old resource version' }
      response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`)
      return
    }
    for (const change of changes)
      if (change.version > from && change.path === path) send(open, change.type, change.object)
    keepOpen(open, query)
  }

  function keepOpen(open: OpenWatch, query: URLSearchParams): void {
    const { response } = open
    watches.add(open)
    response.on('close', () => watches.delete(open))
    const timer = setTimeout(() => response.end(), Number(query.get('timeoutSeconds') || 300) * 1000)
    response.on('close', () => clearTimeout(timer))
  }

  function send({ response }: OpenWatch, type: string, object: object): void {
    const line = `${JSON.stringify({ type, object })}\n`
    counts.bytes += Buffer.byteLength(line)
    if (faults.truncated > 0) cut(response, line)
    else response.write(line)
  }

  function handle(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    response.on('error', () => {})
    if (faults.status > 0) response.writeHead(faults.status).end('{}')
    else if (request.method === 'POST') void receiveEvent(request, response)
    else if (!objects.has(pathname)) response.writeHead(404).end('{}')
    else if (searchParams.has('sendInitialEvents')) void stream(pathname, searchParams, response)
    else if (searchParams.has('watch')) watch(pathname, searchParams, response)
    else void list(pathname, searchParams, response)
  }

  async function receiveEvent(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const part of request) text += part
    events.push(JSON.parse(text))
    response.writeHead(201).end('{}')
  }

  async function listen(port: number): Promise<void> {
    server = createServer(handle)
    await once(server.listen(port, '127.0.0.1'), 'listening')
  }

  function record(kind: Kind, type: string, object: ApiObject): void {
    version += 1
    const versioned = { ...object, metadata: { ...object.metadata, resourceVersion: `${version}` } }
    const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`
    const path = PATHS[kind]
    if (type === 'DELETED') objects.get(path)?.delete(key)
    else objects.get(path)?.set(key, versioned)
    changes.push({ version, path, type, object: versioned })
    if (changes.length > 1_000) forget(500)
    for (const open of watches) if (open.path === path) send(open, type, versioned)
  }

  function forget(count: number): void {
    oldest = changes[count - 1]?.version ?? version
    changes = changes.slice(count)
  }

  await listen(0)
  const bookmarks = setInterval(() => {
    for (const open of watches)
      send(open, 'BOOKMARK', { kind: 'Bookmark', metadata: { resourceVersion: `${version}` } })
  }, bookmarkInterval)
  // @ts-expect-error `listen` has set it.
  const { port } = server.address() as AddressInfo
  const closeAll = () => {
    server.closeAllConnections()
    server.close()
  }
  return {
    url: `http://127.0.0.1:${port}`,
    kubeConfig: () => connectTo(`http://127.0.0.1:${port}`),
    counts,
    events,
    openWatches: () => watches.size,
    objectsOf: (kind: Kind) => [...(objects.get(PATHS[kind])?.values() ?? [])],
    put: (kind: Kind, object: ApiObject) => {
      const known = objects.get(PATHS[kind])?.has(`${object.metadata.namespace ?? ''}/${object.metadata.name}`)
      record(kind, known ? 'MODIFIED' : 'ADDED', object)
    },
    remove: (kind: Kind, object: ApiObject) => record(kind, 'DELETED', object),
    faults: {
      /** Resets all connections. */
      reset: () => server.closeAllConnections(),
      /** Ends the watches and drops the history of changes, so that a watch from an older version gets an error. */
      expire: (code = 410) => {
        expiredCode = code
        version += 1
        forget(changes.length)
        oldest = version
        server.closeAllConnections()
      },
      /** Ends the watches and returns to an earlier version, like a server that was restored from a backup. */
      restoreBackup: () => {
        version = oldest = 0
        changes = []
        server.closeAllConnections()
      },
      /** Answers requests for all pages but the first with status 410. */
      expirePages: () => {
        faults.hasExpiredPages = true
      },
      /** Cuts the next bodies or events in half. */
      truncate: (count: number) => {
        faults.truncated = count
      },
      /** Stops sending on open watches, like a half-open connection. */
      freeze: () => {
        watches = new Set()
      },
      /** Answers every request with a status, such as 401 for an expired token; 0 restores normal answers. */
      answer: (status: number) => {
        faults.status = status
        if (status > 0) server.closeAllConnections()
      },
      /** Refuses streaming lists, like a server without the feature WatchList. */
      refuseStreams: () => {
        faults.refusesStreams = true
      },
      /** Sends no end of a streaming list, like a server that takes it for a watch. */
      forgetEnds: () => {
        faults.hasNoEnds = true
      },
      slowLists: (milliseconds: number) => {
        faults.slow = milliseconds
      },
      /** Stops the server for some time, or until `away` resolves. */
      restart: async (away: number | (() => Promise<unknown>)) => {
        closeAll()
        await (typeof away === 'number' ? sleep(away) : away())
        await listen(port)
      },
    },
    close: () => {
      clearInterval(bookmarks)
      closeAll()
    },
  }
}

export type ApiServer = Awaited<ReturnType<typeof startApiServer>>
