import type { PlaygroundRequest } from '../question/playground-request.js'
import { applyChangedFields, type ChangedFields, findChangedFields } from './changed-fields.js'
import { createEngine } from './engine.js'
import type { EngineResults, ResultKind } from './results.js'

/** A source of results. */
export interface EngineClient {
  /** Computes a part of the result. May reject with an internal error, or with `ABORTED_ERROR`. */
  ask<P extends ResultKind>(part: P, question: PlaygroundRequest): Promise<EngineResults[P]>
  /** Aborts the requests that a worker is processing. */
  abandon(): void
}

/** The rejection reason of aborted requests. */
export const ABORTED_ERROR: Error = new Error('abandoned')

/**
 * For requests with up to this number of Services, `FIRST_RESULT_KINDS` are computed on the main thread, within a frame
 * and without a worker.
 */
const MOST_SERVICES_HERE = 200
/** Texts up to this length are handled on the main thread. */
const MOST_TEXT_HERE = 200_000

/** The parts that are computed after every edit and never wait for the other parts. */
export const FIRST_RESULT_KINDS: readonly ResultKind[] = ['rules', 'packet']

/**
 * Runs `FIRST_RESULT_KINDS` of small requests on the main thread and everything else in a worker, because a comparison
 * takes long even for few Services. A second worker for large requests would not show rules earlier, because both
 * workers would read and compile the same objects. The page and the worker share one `script`, so that the built HTML
 * file contains the code only once. Without workers, all requests run on the main thread.
 */
export function createEngineClient(script: string | undefined): EngineClient {
  const here = createMainThreadClient()
  let worker: EngineClient | undefined
  const elsewhere = () => {
    worker ??= (script === undefined ? undefined : createWorkerClient(script)) ?? here
    return worker
  }
  return {
    ask: (part, question) =>
      (FIRST_RESULT_KINDS.includes(part) && isSmall(question) ? here : elsewhere()).ask(part, question),
    abandon: () => {
      worker?.abandon()
      worker = undefined
    },
  }
}

function isSmall({ objects, before, dump }: PlaygroundRequest): boolean {
  if (objects.length + before.length + dump.length > MOST_TEXT_HERE) return false
  return (objects.match(/\bkind"?:\s*"?Service\b/g)?.length ?? 0) <= MOST_SERVICES_HERE
}

function createMainThreadClient(): EngineClient {
  const engine = createEngine()
  const answers = createLastAnswers()
  return {
    ask: async (part, question) =>
      answers.add(part, findChangedFields(answers.get(part), engine.answer(part, question))),
    abandon: () => {},
  }
}

/** The last answer for each part. Unchanged fields keep their values, so that panes know what to show again. */
interface LastAnswers {
  get(part: ResultKind): object | undefined
  /** Returns the next answer. */
  add<P extends ResultKind>(part: P, changes: ChangedFields): EngineResults[P]
}

function createLastAnswers(): LastAnswers {
  const answers = new Map<ResultKind, object>()
  return {
    get: (part) => answers.get(part),
    add: (part, changes) => {
      const answer = applyChangedFields(answers.get(part), changes)
      answers.set(part, answer)
      return answer as never
    },
  }
}

interface Waiting {
  readonly part: ResultKind
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

/** Creates a client of a worker. Only changes are sent: copying the texts of 1,000 Services takes many milliseconds. */
function createWorkerClient(script: string): EngineClient | undefined {
  const waiting = new Map<number, Waiting>()
  const answers = createLastAnswers()
  let sent: PlaygroundRequest | undefined
  let count = 0
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
    worker.onmessage = ({ data }: MessageEvent<WorkerResponse>) => {
      const asker = waiting.get(data.id)
      waiting.delete(data.id)
      if ('error' in data) asker?.reject(new Error(data.error))
      else if (asker !== undefined) asker.resolve(answers.add(asker.part, data.answer) as never)
    }
    const fail = (error: Error) => {
      for (const { reject } of waiting.values()) reject(error)
      waiting.clear()
    }
    worker.onerror = ({ message }) => fail(new Error(message))
    return {
      abandon: () => {
        worker.terminate()
        fail(ABORTED_ERROR)
      },
      ask: (part, question) =>
        new Promise((resolve, reject) => {
          count++
          waiting.set(count, { part, resolve, reject })
          worker.postMessage({ id: count, part, question: findChangedFields(sent, question) } satisfies WorkerRequest)
          sent = question
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
  /** The changes since the previous request. */
  readonly question: ChangedFields
}

/** A message from the worker. `answer` contains the changes since the previous answer for the same part. */
export type WorkerResponse = { readonly id: number } & ({ readonly answer: ChangedFields } | { readonly error: string })
