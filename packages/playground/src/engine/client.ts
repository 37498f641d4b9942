import type { Question } from '../question/question.js'
import type { Answers, Part } from './answers.js'
import { createEngine } from './engine.js'

/** Where answers come from. */
export interface Client {
  /** Rejects only for a fault of ours. */
  ask<P extends Part>(part: P, question: Question): Promise<Answers[P]>
}

/** Fewer Services than these are answered within a frame where the question is asked, without going elsewhere. */
const MOST_SERVICES_HERE = 200
/** Every Service has this many characters at least. */
const SHORTEST_SERVICE = 60

/**
 * Answers small questions here and large ones in a worker, whose script is `script`: this page's own, so that there is one
 * copy of it. Without workers all are answered here.
 */
export function createClient(script: string | undefined): Client {
  const here = createEngine()
  let worker: Client | undefined
  const elsewhere = () => {
    worker ??= (script === undefined ? undefined : workerClient(script)) ?? hereClient(here)
    return worker
  }
  return {
    ask: (part, question) => (isSmall(question) ? hereClient(here) : elsewhere()).ask(part, question),
  }
}

function isSmall({ objects, before, dump }: Question): boolean {
  if (before.length + dump.length > MOST_SERVICES_HERE * SHORTEST_SERVICE * 20) return false
  if (objects.length < MOST_SERVICES_HERE * SHORTEST_SERVICE) return true
  return (objects.match(/\bkind"?:\s*"?Service\b/g)?.length ?? 0) <= MOST_SERVICES_HERE && objects.length < 2 ** 20
}

function hereClient(engine: ReturnType<typeof createEngine>): Client {
  return { ask: async (part, question) => engine.answer(part, question) }
}

interface Waiting {
  readonly resolve: (answer: never) => void
  readonly reject: (error: Error) => void
}

function workerClient(script: string): Client | undefined {
  const waiting = new Map<number, Waiting>()
  let count = 0
  try {
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: 'text/javascript' })))
    worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const asker = waiting.get(data.id)
      waiting.delete(data.id)
      if ('error' in data) asker?.reject(new Error(data.error))
      else asker?.resolve(data.answer as never)
    }
    worker.onerror = ({ message }) => {
      for (const { reject } of waiting.values()) reject(new Error(message))
      waiting.clear()
    }
    return {
      ask: (part, question) =>
        new Promise((resolve, reject) => {
          count++
          waiting.set(count, { resolve, reject })
          worker.postMessage({ id: count, part, question } satisfies Request)
        }),
    }
  } catch {
    return undefined
  }
}

/** What is said to the worker. */
export interface Request {
  readonly id: number
  readonly part: Part
  readonly question: Question
}

/** What it says. */
export type Reply = { readonly id: number } & ({ readonly answer: unknown } | { readonly error: string })
