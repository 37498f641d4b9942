import { type ApiRequest, ConnectionError, sendRequest } from './api.js'
import type { Connect } from './connection.js'
import { textOf } from './log.js'
import type { ApiObject } from './reflect.js'

export interface WatchEvent {
  readonly type: string
  readonly object: ApiObject & { readonly message?: string }
}

/** An error of a watch that would repeat itself with the same version. */
export class VersionError extends Error {}

/** An error of a streaming list, which a list without stream replaces. */
export class StreamError extends Error {}

/** The start of a streaming list (WatchList). Servers without this feature reject the fields. */
const STREAM = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }

/** The annotation of the bookmark after the last object of a streaming list. */
const END_OF_LIST = 'k8s.io/initial-events-end'

/** The statuses of a server that does not have streaming lists, does not permit the kind, or does not have it. */
const REFUSALS: readonly number[] = [400, 403, 404, 405, 422]

/** The statuses of a watch from an invalid version, an old one, and one that the server does not have yet. */
const VERSION_STATUSES: readonly number[] = [400, 410, 504]

export interface WatchRequest extends Pick<ApiRequest, 'silence' | 'connectTimeout' | 'signal' | 'onReport'> {
  readonly connect: Connect
  readonly path: string
  /** The timeout of the watch on the server, in milliseconds. */
  readonly timeout: number
  readonly query?: Readonly<Record<string, string>> | undefined
  /** Called for each part of the answer. */
  readonly onPart?: (() => void) | undefined
}

/**
 * Watches from a version. Resolves if the server ends the watch after some time. Rejects in every other case, before any
 * later event is applied.
 */
export async function watchFrom(
  resourceVersion: string,
  request: WatchRequest,
  onEvent: (event: WatchEvent) => void,
): Promise<void> {
  const started = Date.now()
  let isHeard = false
  const status = await sendWatch({ resourceVersion }, request, (event) => {
    onEvent(event)
    isHeard = true
  })
  if (VERSION_STATUSES.includes(status)) throw new VersionError(`HTTP status ${status}`)
  if (status !== 200) throw new Error(`HTTP status ${status}`)
  // Watches that end immediately must not cause a loop without a pause.
  if (!isHeard && Date.now() - started < 1_000) throw new Error('the watch ended at once')
}

export interface StreamListener {
  /** Returns the fields of an object of the list to keep. */
  reduce(object: ApiObject): ApiObject
  onList(objects: readonly ApiObject[], resourceVersion: string): void
  /** Receives the events after the list. */
  onEvent(event: WatchEvent): void
  /** Called if the server does not have streams. */
  onRefusal(): void
}

/**
 * Watches from the start: the events before a bookmark are the list, and later ones are changes. Resolves like
 * `watchFrom`. Rejects with `StreamError` if the list must be read without a stream.
 */
export async function streamFrom(request: WatchRequest, listener: StreamListener): Promise<void> {
  const objects: ApiObject[] = []
  let isListed = false
  const onEvent = (event: WatchEvent) => {
    if (isListed) return listener.onEvent(event)
    const { type, object } = event
    if (type === 'ADDED') return void objects.push(listener.reduce(object))
    const { annotations, resourceVersion } = object.metadata ?? {}
    if (type !== 'BOOKMARK' || annotations?.[END_OF_LIST] !== 'true' || resourceVersion === undefined)
      throw new StreamError(object.message ?? `the stream sent an event of type ${type} before the end of the list`)
    isListed = true
    listener.onList(objects, resourceVersion)
    objects.length = 0
  }
  try {
    const status = await sendWatch(STREAM, request, onEvent)
    if (REFUSALS.includes(status)) listener.onRefusal()
    if (!isListed) throw new StreamError(status === 200 ? 'the stream has ended' : `HTTP status ${status}`)
  } catch (error) {
    if (isListed || error instanceof ConnectionError || request.signal?.aborted) throw error
    throw error instanceof StreamError ? error : new StreamError(textOf(error))
  }
}

/** Sends a watch, and passes its events. Returns the status of the response. */
async function sendWatch(
  start: Readonly<Record<string, string>>,
  { connect, path, query, timeout, onPart, ...request }: WatchRequest,
  onEvent: (event: WatchEvent) => void,
): Promise<number> {
  let line = ''
  const onText = (part: string) => {
    onPart?.()
    const lines = part.split('\n')
    lines[0] = line + lines[0]
    line = lines.pop() ?? ''
    for (const each of lines) onEvent(JSON.parse(each))
  }
  const ofWatch = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: `${Math.ceil(timeout / 1000)}` }
  const search = new URLSearchParams({ ...query, ...ofWatch, ...start })
  const { status } = await sendRequest(connect, { ...request, path: `${path}?${search}`, onPart: onText })
  if (line !== '') throw new Error('the watch ended within an event')
  return status
}
