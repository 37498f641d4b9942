import type { PlaygroundRequest } from '../question/playground-request.js'
import { createEngine } from './engine.js'
import type { EngineResults, ResultKind } from './results.js'

/** A source of results. */
export interface Client {
  /** Computes a result part. Rejects with an internal error, or with `ABORTED`. */
  ask<P extends ResultKind>(part: P, question: PlaygroundRequest): Promise<EngineResults[P]>
  /** Aborts the requests of the worker that computes this part. */
  abandon(part: ResultKind): void
}

/** The rejection reason of aborted requests. */
export const ABORTED: Error = new Error('abandoned')

/** Requests with fewer Services than this finish within a frame on the main thread, without a worker. */
const MOST_SERVICES_HERE = 200
/** Texts up to this length are handled on the main thread. */
const MOST_TEXT_HERE = 200_000

/** The result parts that are computed first after every edit and never wait for the other parts. */
export const FIRST_PARTS: readonly ResultKind[] = ['rules', 'packet']

/**
 * Runs small requests on the main thread and large requests in two workers: one for the result parts in `FIRST_PARTS`,
 * one for the other parts. The page and the workers share one `script`, so that the built HTML file contains the code
 * only once. Without workers, all requests run on the main thread.
 */
export function createClient(script: string | undefined): Client {
  const here = createMainThreadClient()
  const workers = new Map<boolean, Client>()
  const isFirst = (part: ResultKind) => FIRST_PARTS.includes(part)
  const elsewhere = (part: ResultKind) => {
    const worker = workers.get(isFirst(part)) ?? (script === undefined ? undefined : createWorkerClient(script)) ?? here
    workers.set(isFirst(part), worker)
    return worker
  }
  return {
    ask: (part, question) => (isSmall(question) ? here : elsewhere(part)).ask(part, question),
    abandon: (part) => {
      workers.get(isFirst(part))?.abandon(part)
      workers.delete(isFirst(part))
    },
  }
}

function isSmall({ objects, before, dump }: PlaygroundRequest): boolean {
  if (objects.length + before.length + dump.length > MOST_TEXT_HERE) return false
  return (objects.match(/\bkind"?:\s*"?Service\b/g)?.length ?? 0) <= MOST_SERVICES_HERE
}

function createMainThreadClient(): Client {
  const engine = createEngine()
  return { ask: async (part, question) => engine.answer(part, question), abandon: () => {} }
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

function createWorkerClient(script: string): Client | undefined {
  const waiting = new Map<number, Waiting>()
  let count = 0
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => {
      const asker = waiting.get(data.id)
      waiting.delete(data.id)
      if ('error' in data) asker?.reject(new Error(data.error))
      else asker?.resolve(data.answer as never)
    }
    const fail = (error: Error) => {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    worker.onerror = ({ message }) => fail(new Error(message))
    return {
      abandon: () => {
        worker.terminate()
        fail(ABORTED)
      },
      ask: (part, question) =>
        new Promise((resolve, reject) => {
          count++
          waiting.set(count, { resolve, reject })
          worker.postMessage({ id: count, part, question } satisfies WorkerRequest)
        }),
    }
  } catch {
    return undefined
  }
}

/** A message to the worker. */
export interface WorkerRequest {
  readonly id: number
  readonly part: ResultKind
  readonly question: PlaygroundRequest
}

/** A message from the worker. */
export type WorkerResponse = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string })
