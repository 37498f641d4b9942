import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchedKind } from '@kube-rules/proxy-kit'
import { type ApiRequest, CONNECT_TIMEOUT, ConnectionError, sendRequest } from './api.js'
import type { Connect } from './connection.js'
import { listPages } from './list-pages.js'
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
  /** Returns the fields of an object to keep. It is called for each object as soon as its text has been read. */
  reduce(source: WatchedKind, object: ApiObject): ApiObject
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
  /** The timeout of a connection attempt. */
  connect: CONNECT_TIMEOUT,
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
  readonly onReport?: ApiRequest['onReport']
  /** Called for each part of an answer. */
  readonly onPart?: () => void
}

export interface Reflection {
  stop(): void
  /** Sends the current request again without a pause if it was sent before a time of the clock `performance.now`. */
  resend(before: number): void
}

/**
 * Lists the objects of a kind and watches their changes until `stop`. If a watch ends, it is resumed at the last
 * version; if the server cannot resume it, the objects are listed again; after any other failure, there is a pause first. Credentials are read again for each request. Only a complete list is used.
 */
export function reflect({ connect, source, receiver, log, times, onReport, onPart }: ReflectOptions): Reflection {
  const { pause, longest, unconnected, connect: connectTimeout, silence, watch, stale } = { ...REFLECT_TIMES, ...times }
  const stopping = new AbortController()
  const { signal } = stopping
  /** The current request, with the time when it was sent. */
  let current = { sending: new AbortController(), start: 0 }
  let version: string | undefined
  let isFirst = true
  let isUnserved = false
  let failures = 0
  /** The server refuses streams if it does not have the feature WatchList. A stream that fails is followed by a list. */
  let refusesStreams = false
  let hasFailedStream = false
  const reduce = (object: ApiObject) => receiver.reduce(source, object)

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        if (version === undefined) {
          if (!refusesStreams && !hasFailedStream) {
            await streamFrom()
            failures = 0
            continue
          }
          const request = { silence, connectTimeout, signal: startRequest(), onReport }
          const { objects, resourceVersion } = await listPages({ connect, source, isFirst, reduce, request })
          if (signal.aborted) return
          if (resourceVersion !== undefined || !isUnserved) receiver.replace(source, objects)
          isUnserved = resourceVersion === undefined
          if (resourceVersion === undefined) {
            await sleep(UNSERVED, undefined, { signal })
            continue
          }
          version = resourceVersion
          isFirst = false
          hasFailedStream = false
        }
        await watchFrom(version)
        failures = 0
      } catch (error) {
        if (signal.aborted) return
        if (current.sending.signal.aborted) {
          log.info('a request is sent again after a network failure', { kind: source.kind })
          continue
        }
        if (error instanceof VersionError) {
          log.info('a watch cannot be resumed: listing again', { kind: source.kind, error: error.message })
          version = undefined
          if (failures++ === 0) continue
        } else if (error instanceof StreamError) {
          log.info('no streaming list, listing', { kind: source.kind, error: error.message })
          continue
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

  function startRequest(): AbortSignal {
    current = { sending: new AbortController(), start: performance.now() }
    return current.sending.signal
  }

  function applyEvent({ type, object }: WatchEvent): void {
    if (type === 'ERROR') throw new VersionError(object.message ?? 'the watch failed')
    if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') receiver.apply(source, type, reduce(object))
    else if (type !== 'BOOKMARK') throw new Error(`the watch sent an event of type ${type}`)
    version = object.metadata.resourceVersion ?? version
    failures = 0
  }

  /** Resolves if the server ends the watch after some time. Rejects in every other case, before any later event is applied. */
  async function watchFrom(from: string): Promise<void> {
    const started = Date.now()
    let isHeard = false
    const status = await sendWatch({ resourceVersion: from }, (event) => {
      applyEvent(event)
      isHeard = true
    })
    if (VERSION_STATUSES.includes(status)) throw new VersionError(`HTTP status ${status}`)
    if (status !== 200) throw new Error(`HTTP status ${status}`)
    // Watches that end immediately must not cause a loop without a pause.
    if (!isHeard && Date.now() - started < 1_000) throw new Error('the watch ended at once')
  }

  /** Watches from the start: the events of a bookmark are the list, and later ones are changes. Resolves like `watchFrom`. */
  async function streamFrom(): Promise<void> {
    const objects: ApiObject[] = []
    let isListed = false
    const onEvent = (event: WatchEvent) => {
      if (isListed) return applyEvent(event)
      const { type, object } = event
      if (type === 'ADDED') return void objects.push(reduce(object))
      const { annotations, resourceVersion } = object.metadata ?? {}
      if (type !== 'BOOKMARK' || annotations?.[END_OF_LIST] !== 'true' || resourceVersion === undefined)
        throw new StreamError(object.message ?? `the stream sent an event of type ${type} before the end of the list`)
      receiver.replace(source, objects)
      ;[isListed, isFirst, version, failures] = [true, false, resourceVersion, 0]
      objects.length = 0
    }
    try {
      const status = await sendWatch(STREAM, onEvent)
      if (REFUSALS.includes(status)) refusesStreams = true
      if (!isListed) throw new StreamError(status === 200 ? 'the stream has ended' : `HTTP status ${status}`)
    } catch (error) {
      if (isListed || error instanceof ConnectionError || current.sending.signal.aborted) throw error
      hasFailedStream = true
      throw error instanceof StreamError ? error : new StreamError(textOf(error))
    }
  }

  /** Sends a watch, and passes its events. Returns the status of the response. */
  async function sendWatch(
    start: Readonly<Record<string, string>>,
    onEvent: (event: WatchEvent) => void,
  ): Promise<number> {
    const ofWatch = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: `${Math.ceil(watch / 1000)}` }
    const query = new URLSearchParams({ ...source.query, ...ofWatch, ...start })
    let line = ''
    const onText = (part: string) => {
      onPart?.()
      const lines = part.split('\n')
      lines[0] = line + lines[0]
      line = lines.pop() ?? ''
      for (const each of lines) onEvent(JSON.parse(each))
    }
    const path = `${source.path}?${query}`
    const request = { path, silence: stale, connectTimeout, signal: startRequest(), onPart: onText, onReport }
    const { status } = await sendRequest(connect, request)
    if (line !== '') throw new Error('the watch ended within an event')
    return status
  }

  void follow()
  return {
    stop: () => {
      stopping.abort()
      current.sending.abort()
    },
    resend: (before) => {
      if (current.start < before) current.sending.abort()
    },
  }
}

interface WatchEvent {
  readonly type: string
  readonly object: ApiObject & { readonly message?: string }
}

/** An error of a watch that would repeat itself with the same version. */
class VersionError extends Error {}

/** An error of a streaming list, which a list without stream replaces. */
class StreamError extends Error {}

/** The start of a streaming list (WatchList). Servers without this feature reject the fields. */
const STREAM = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }

/** The annotation of the bookmark after the last object of a streaming list. */
const END_OF_LIST = 'k8s.io/initial-events-end'

/** The statuses of a server that does not have streaming lists, does not permit the kind, or does not have it. */
const REFUSALS: readonly number[] = [400, 403, 404, 405, 422]

/** The statuses of a watch from an invalid version, an old one, and one that the server does not have yet. */
const VERSION_STATUSES: readonly number[] = [400, 410, 504]

/** The interval of requests for a kind that the API server does not have or does not permit, in milliseconds. */
const UNSERVED = 60_000
