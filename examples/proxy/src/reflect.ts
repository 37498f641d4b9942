import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchedKind } from '@kube-rules/proxy-kit'
import { type ApiRequest, ConnectionError, sendRequest } from './api.js'
import type { Connect } from './connection.js'
import { type Logger, textOf } from './log.js'

/** An API object, with the fields that this program reads. */
export interface ApiObject {
  readonly kind?: string
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly resourceVersion?: string
    readonly deletionTimestamp?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
}

export interface Receiver {
  /** Receives all objects: at the start, and whenever the server can no longer resume the watch. */
  replace(source: WatchedKind, objects: readonly ApiObject[]): void
  apply(source: WatchedKind, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject): void
}

export const REFLECT_TIMES = {
  /** The first pause after a failure; each further one doubles it, up to `longest`. */
  pause: 500,
  longest: 30_000,
  /** The pause after a failed connection attempt, which costs the server nothing. */
  unconnected: 500,
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
  readonly source: WatchedKind
  readonly receiver: Receiver
  readonly log: Logger
  readonly times?: Partial<ReflectTimes> | undefined
  readonly onRequest?: ApiRequest['onEnd']
}

/**
 * Lists the objects of a kind and watches their changes until `stop`. If a watch ends, it is resumed at the last
 * version; if the server cannot resume it, the objects are listed again; after any other failure, there is a pause first. Credentials are read again for each request. Only a complete list is used.
 */
export function reflect({ connect, source, receiver, log, times, onRequest: onEnd }: ReflectOptions): {
  stop(): void
} {
  const { pause, longest, unconnected, silence, watch, stale } = { ...REFLECT_TIMES, ...times }
  const stopping = new AbortController()
  const { signal } = stopping
  let version: string | undefined
  let isFirst = true
  let isUnserved = false
  let failures = 0

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        if (version === undefined) {
          const { objects, resourceVersion } = await listAll(connect, source, isFirst, { silence, signal, onEnd })
          if (signal.aborted) return
          if (resourceVersion !== undefined || !isUnserved) receiver.replace(source, objects)
          isUnserved = resourceVersion === undefined
          if (resourceVersion === undefined) {
            await sleep(UNSERVED, undefined, { signal })
            continue
          }
          version = resourceVersion
          isFirst = false
        }
        await watchFrom(version)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof VersionError) {
          log.info('a watch cannot be resumed: listing again', { kind: source.kind, error: error.message })
          version = undefined
          if (failures++ === 0) continue
        } else {
          log.warning('no answer from the API server', { kind: source.kind, error: textOf(error) })
          if (!(error instanceof ConnectionError)) failures += 1
        }
        const least = error instanceof ConnectionError ? unconnected : pause * 2 ** (failures - 1)
        const wait = Math.min(longest, least) * (0.75 + Math.random() / 2)
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
      if (type === 'ERROR') throw new VersionError(object.message ?? 'the watch failed')
      if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') receiver.apply(source, type, object)
      else if (type !== 'BOOKMARK') throw new Error(`the watch sent an event of type ${type}`)
      version = object.metadata.resourceVersion ?? version
      failures = 0
      isHeard = true
    }
    const ofWatch = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: `${Math.ceil(watch / 1000)}` }
    const query = new URLSearchParams({ ...source.query, ...ofWatch, resourceVersion: from })
    const request = { path: `${source.path}?${query}`, silence: stale, signal, onLine, onEnd }
    const { status, text } = await sendRequest(connect, request)
    if (VERSION_STATUSES.includes(status)) throw new VersionError(`HTTP status ${status}`)
    if (status !== 200) throw new Error(`HTTP status ${status}`)
    if (text !== '') throw new Error('the watch ended within an event')
    // Watches that end immediately must not cause a loop without a pause.
    if (!isHeard && Date.now() - started < 1_000) throw new Error('the watch ended at once')
  }

  void follow()
  return { stop: () => stopping.abort() }
}

interface WatchEvent {
  readonly type: string
  readonly object: ApiObject & { readonly message?: string }
}

interface List {
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string }
  readonly items?: readonly ApiObject[]
}

/** An error of a watch that would repeat itself with the same version. */
class VersionError extends Error {}

/** The statuses of a watch from an invalid version, an old one, and one that the server does not have yet. */
const VERSION_STATUSES: readonly number[] = [400, 410, 504]

/** The interval of requests for a kind that the API server does not have or does not permit, in milliseconds. */
const UNSERVED = 60_000

/** The number of objects per page. */
const PAGE = 500

/** Reads all pages of a list. Like in kube-proxy, the first list may come from the cache of the server. */
async function listAll(
  connect: Connect,
  source: WatchedKind,
  isFirst: boolean,
  request: Pick<ApiRequest, 'silence' | 'signal' | 'onEnd'>,
): Promise<{ objects: readonly ApiObject[]; resourceVersion: string | undefined }> {
  let objects: ApiObject[] = []
  let limit = PAGE
  let next = ''
  for (;;) {
    const start = next ? { continue: next } : isFirst && { resourceVersion: '0' }
    const query = { ...source.query, limit: `${limit}`, ...start }
    const answer = await sendRequest(connect, { path: `${source.path}?${new URLSearchParams(query)}`, ...request })
    if (answer.status === 410 && next !== '') {
      // A page has expired. The next list has a single page.
      ;[objects, limit, next] = [[], 0, '']
      continue
    }
    const isUnserved = answer.status === 404 || answer.status === 403
    if (isUnserved && isFirst && source.isOptional) return { objects: [], resourceVersion: undefined }
    if (answer.status !== 200) throw new Error(`HTTP status ${answer.status}`)
    const { metadata, items } = JSON.parse(answer.text) as List
    if (!Array.isArray(items) || metadata?.resourceVersion === undefined) throw new Error('the list is incomplete')
    for (const item of items) objects.push(item)
    next = metadata.continue ?? ''
    if (next === '') return { objects, resourceVersion: metadata.resourceVersion }
  }
}
