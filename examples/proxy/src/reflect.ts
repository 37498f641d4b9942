import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiRequest, type Connect, sendRequest } from './api.js'
import { type Logger, textOf } from './log.js'

/** An API object, with the fields that this program reads. */
export interface ApiObject {
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly resourceVersion?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
}

/** A kind of objects to list and watch. */
export interface Source {
  readonly kind: string
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Whether the kind may be missing on the API server, which then has no such objects. */
  readonly isOptional?: boolean
}

export interface Receiver {
  /** Receives all objects: at the start, and whenever the server can no longer resume the watch. */
  replace(source: Source, objects: readonly ApiObject[]): void
  apply(source: Source, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject): void
}

export const REFLECT_TIMES = {
  /** The first pause after a failure; each further one doubles it, up to `longest`. */
  pause: 500,
  longest: 30_000,
  /** A list without a byte for so long is abandoned. */
  silence: 60_000,
  /** The server ends a watch after so long. */
  watch: 300_000,
  /** A watch that has sent nothing for so long is half-open. Servers send bookmarks about once a minute. */
  stale: 150_000,
}

export type ReflectTimes = Readonly<typeof REFLECT_TIMES>

export interface ReflectOptions {
  readonly connect: Connect
  readonly source: Source
  readonly receiver: Receiver
  readonly log: Logger
  readonly times?: Partial<ReflectTimes> | undefined
  readonly random?: () => number
}

/**
 * Lists the objects of a kind and watches their changes until `stop`. If a watch ends, it is resumed at the last
 * version; if the server no longer has that version (410), the objects are listed again; after any other failure, there
 * is a pause first. Credentials are read again for each request. Only a complete list is used.
 */
export function reflect({ connect, source, receiver, log, times, random = Math.random }: ReflectOptions): {
  stop(): void
} {
  const { pause, longest, silence, watch, stale } = { ...REFLECT_TIMES, ...times }
  const stopping = new AbortController()
  const { signal } = stopping
  let version: string | undefined
  let isFirst = true
  let failures = 0

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        if (version === undefined) {
          const { objects, resourceVersion } = await listAll(connect, source, isFirst, { silence, signal })
          if (signal.aborted) return
          receiver.replace(source, objects)
          isFirst = false
          if (resourceVersion === undefined) await sleep(UNKNOWN_KIND, undefined, { signal })
          version = resourceVersion
          if (version === undefined) continue
        }
        await watchFrom(version)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (isGone(error)) {
          log.info('the API server has forgotten the version of a watch: listing again', { kind: source.kind })
          version = undefined
          if (failures++ === 0) continue
        } else {
          log.warning('no answer from the API server', { kind: source.kind, error: textOf(error) })
          failures += 1
        }
        const wait = Math.min(longest, pause * 2 ** (failures - 1)) * (0.75 + random() / 2)
        await sleep(wait, undefined, { signal }).catch(() => {})
      }
    }
  }

  /** Resolves if the server ends the watch after some time. Rejects in every other case, before any later event is applied. */
  async function watchFrom(from: string): Promise<void> {
    const started = Date.now()
    let isHeard = false
    const onLine = (line: string) => {
      const { type, object } = JSON.parse(line) as WatchEvent
      if (type === 'ERROR') throw statusError(object.code, object.message ?? 'the watch failed')
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') receiver.apply(source, type, object)
      else if (type !== 'BOOKMARK') throw new Error(`the watch sent an event of type ${type}`)
      version = object.metadata.resourceVersion ?? version
      failures = 0
      isHeard = true
    }
    const ofWatch = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: `${Math.ceil(watch / 1000)}` }
    const query = new URLSearchParams({ ...source.query, ...ofWatch, resourceVersion: from })
    const request = { path: `${source.path}?${query}`, silence: stale, signal, onLine }
    const { status, text } = await sendRequest(connect, request)
    if (status !== 200) throw statusError(status, `HTTP status ${status}`)
    if (text !== '') throw new Error('the watch ended within an event')
    // Watches that end immediately must not cause a loop without a pause.
    if (!isHeard && Date.now() - started < 1_000) throw new Error('the watch ended at once')
  }

  void follow()
  return { stop: () => stopping.abort() }
}

interface WatchEvent {
  readonly type: string
  readonly object: ApiObject & { readonly code?: number; readonly message?: string }
}

interface List {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: readonly ApiObject[]
}

/** The interval of requests for a kind that the API server does not have, in milliseconds. */
const UNKNOWN_KIND = 600_000

/** The number of objects per page. */
const PAGE = 500

/** Reads all pages of a list. The first list may come from the cache of the server, as that of kube-proxy does. */
async function listAll(
  connect: Connect,
  source: Source,
  isFirst: boolean,
  request: Pick<ApiRequest, 'silence' | 'signal'>,
): Promise<{ objects: readonly ApiObject[]; resourceVersion: string | undefined }> {
  const objects: ApiObject[] = []
  let next = ''
  for (;;) {
    const start = next ? { continue: next } : isFirst && { resourceVersion: '0' }
    const query = { ...source.query, limit: `${PAGE}`, ...start }
    const answer = await sendRequest(connect, { path: `${source.path}?${new URLSearchParams(query)}`, ...request })
    if (answer.status === 404 && source.isOptional) return { objects: [], resourceVersion: undefined }
    if (answer.status !== 200) throw statusError(answer.status, `HTTP status ${answer.status}`)
    const { metadata, items } = JSON.parse(answer.text) as List
    if (!Array.isArray(items) || metadata?.resourceVersion === undefined) throw new Error('the list is incomplete')
    for (const item of items) objects.push(item)
    next = metadata.continue ?? ''
    if (next === '') return { objects, resourceVersion: metadata.resourceVersion }
  }
}

function statusError(statusCode: number | undefined, message: string): Error {
  return Object.assign(new Error(message), { statusCode })
}

function isGone(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'statusCode' in error && error.statusCode === 410
}
