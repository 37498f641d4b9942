import type { PlaygroundRequest } from '../question/playground-request.js'
import { applyChangedFields, findChangedFields } from './changed-fields.js'
import { createEngine } from './engine.js'
import type { WorkerRequest, WorkerResponse } from './engine-client.js'
import type { ResultKind } from './results.js'

/** The members of a worker's global scope that are used. */
interface Scope {
  onmessage: ((event: MessageEvent<WorkerRequest>) => void) | null
  postMessage(reply: WorkerResponse): void
}

/** Runs all requests to this worker, one after another. */
export function serveRequests(scope: Scope): void {
  const engine = createEngine()
  const answers = new Map<ResultKind, object>()
  let question: PlaygroundRequest | undefined
  scope.onmessage = ({ data: { id, part, question: changes } }) => {
    try {
      question = applyChangedFields(question, changes) as PlaygroundRequest
      const answer = engine.answer(part, question)
      scope.postMessage({ id, answer: findChangedFields(answers.get(part), answer) })
      answers.set(part, answer)
    } catch (error) {
      scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
    }
  }
}
