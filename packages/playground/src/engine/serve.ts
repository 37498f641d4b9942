import type { WorkerRequest, WorkerResponse } from './client.js'
import { createEngine } from './engine.js'

/** The members of a worker's global scope that are used. */
interface Scope {
  onmessage: ((event: MessageEvent<WorkerRequest>) => void) | null
  postMessage(reply: WorkerResponse): void
}

/** Runs all requests to this worker, one after another. */
export function serveRequests(scope: Scope): void {
  const engine = createEngine()
  scope.onmessage = ({ data: { id, part, question } }) => {
    try {
      scope.postMessage({ id, answer: engine.answer(part, question) })
    } catch (error) {
      scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
    }
  }
}
