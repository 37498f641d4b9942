import { setTimeout as sleep } from 'node:timers/promises'
import type { WatchedKind } from '@kube-rules/proxy-kit'
import { type ApiRequest, CONNECT_TIMEOUT, ConnectionError } from './api.js'
import type { Connect } from './connection.js'
import { listPages } from './list-pages.js'
import { type Logger, textOf } from './log.js'
import {
  StreamError,
  type StreamListener,
  streamFrom,
  VersionError,
  type WatchEvent,
  type WatchRequest,
  watchFrom,
} from './watch.js'

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

/** What is known of one kind. */
interface Position {
  /** The version of the last change; undefined if the objects must be listed. */
  version: string | undefined
  isFirst: boolean
  isUnserved: boolean
  failures: number
  /** The server refuses streams if it does not have the feature WatchList. A stream that fails is followed by a list. */
  refusesStreams: boolean
  hasFailedStream: boolean
  /** The current request, with the time when it was sent. */
  current: { readonly sending: AbortController; readonly start: number }
}

/**
 * Lists the objects of a kind and watches their changes until `stop`. If a watch ends, it is resumed at the last
 * version; if the server cannot resume it, the objects are listed again; after any other failure, there is a pause first. Credentials are read again for each request. Only a complete list is used.
 */
export function reflect(options: ReflectOptions): Reflection {
  const times = { ...REFLECT_TIMES, ...options.times }
  const stopping = new AbortController()
  const { signal } = stopping
  const position: Position = {
    ...{ version: undefined, isFirst: true, isUnserved: false, failures: 0 },
    ...{ refusesStreams: false, hasFailedStream: false },
    current: { sending: new AbortController(), start: 0 },
  }

  async function follow(): Promise<void> {
    while (!signal.aborted) {
      try {
        await listOrWatch(options, times, position, signal)
      } catch (error) {
        if (signal.aborted) return
        const wait = pauseAfter(error, options, times, position)
        if (wait > 0) await sleep(wait, undefined, { signal }).catch(() => {})
      }
    }
  }

  void follow()
  return {
    stop: () => {
      stopping.abort()
      position.current.sending.abort()
    },
    resend: (before) => {
      if (position.current.start < before) position.current.sending.abort()
    },
  }
}

/** Makes the next step: a stream, a list, or a watch. Rejects if the request fails. */
async function listOrWatch(
  options: ReflectOptions,
  times: ReflectTimes,
  position: Position,
  signal: AbortSignal,
): Promise<void> {
  const { version, refusesStreams, hasFailedStream } = position
  if (version === undefined && (refusesStreams || hasFailedStream)) return list(options, times, position, signal)
  const request = watchRequest(options, times, position)
  const onEvent = (event: WatchEvent) => applyEvent(event, options, position)
  if (version !== undefined) await watchFrom(version, request, onEvent)
  else await streamFrom(request, streamListener(options, position, onEvent))
  position.failures = 0
}

/** Lists the objects, and waits if the server does not have the kind or does not permit it. */
async function list(
  { connect, source, receiver, onReport }: ReflectOptions,
  { silence, connect: connectTimeout }: ReflectTimes,
  position: Position,
  signal: AbortSignal,
): Promise<void> {
  const reduce = (object: ApiObject) => receiver.reduce(source, object)
  const request = { silence, connectTimeout, signal: startRequest(position), onReport }
  const { objects, resourceVersion } = await listPages({ connect, source, isFirst: position.isFirst, reduce, request })
  if (signal.aborted) return
  if (resourceVersion !== undefined || !position.isUnserved) receiver.replace(source, objects)
  position.isUnserved = resourceVersion === undefined
  if (resourceVersion === undefined) return sleep(UNSERVED, undefined, { signal })
  position.version = resourceVersion
  position.isFirst = false
  position.hasFailedStream = false
}

function watchRequest(
  { connect, source: { path, query }, onReport, onPart }: ReflectOptions,
  { stale, watch, connect: connectTimeout }: ReflectTimes,
  position: Position,
): WatchRequest {
  const signal = startRequest(position)
  return { connect, path, query, timeout: watch, silence: stale, connectTimeout, signal, onPart, onReport }
}

function startRequest(position: Position): AbortSignal {
  position.current = { sending: new AbortController(), start: performance.now() }
  return position.current.sending.signal
}

function streamListener(
  { source, receiver }: ReflectOptions,
  position: Position,
  onEvent: (event: WatchEvent) => void,
): StreamListener {
  return {
    reduce: (object) => receiver.reduce(source, object),
    onList: (objects, version) => {
      receiver.replace(source, objects)
      Object.assign(position, { version, isFirst: false, failures: 0 })
    },
    onEvent,
    onRefusal: () => {
      position.refusesStreams = true
    },
  }
}

function applyEvent({ type, object }: WatchEvent, { source, receiver }: ReflectOptions, position: Position): void {
  if (type === 'ERROR') throw new VersionError(object.message ?? 'the watch failed')
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
    receiver.apply(source, type, receiver.reduce(source, object))
  else if (type !== 'BOOKMARK') throw new Error(`the watch sent an event of type ${type}`)
  position.version = object.metadata.resourceVersion ?? position.version
  position.failures = 0
}

/** Prepares the next attempt after a failure. Returns the pause before it, in milliseconds. */
function pauseAfter(
  error: unknown,
  { source: { kind }, log }: ReflectOptions,
  { pause, longest, unconnected }: ReflectTimes,
  position: Position,
): number {
  const isUnconnected = error instanceof ConnectionError
  if (position.current.sending.signal.aborted) {
    log.info('a request is sent again after a network failure', { kind })
    return 0
  }
  if (error instanceof StreamError) {
    log.info('no streaming list, listing', { kind, error: error.message })
    position.hasFailedStream = true
    return 0
  }
  if (error instanceof VersionError) {
    log.info('a watch cannot be resumed: listing again', { kind, error: error.message })
    position.version = undefined
    if (position.failures++ === 0) return 0
  } else {
    log.warning('no answer from the API server', { kind, error: textOf(error) })
    if (!isUnconnected) position.failures += 1
  }
  const least = isUnconnected ? unconnected : pause * 2 ** (position.failures - 1)
  return Math.min(longest, least) * (0.75 + Math.random() / 2)
}

/** The interval of requests for a kind that the API server does not have or does not permit, in milliseconds. */
const UNSERVED = 60_000
