import type { Reply, Request } from './client.js'
import { createEngine } from './engine.js'

/** What of a worker's scope is used. */
interface Scope {
  onmessage: ((event: MessageEvent<Request>) => void) | null
  postMessage(reply: Reply): void
}

/** Answers whatever is asked of this worker, one question after another. */
export function serve(scope: Scope): void {
  const engine = createEngine()
  scope.onmessage = ({ data: { id, part, question } }) => {
    try {
      scope.postMessage({ id, answer: engine.answer(part, question) })
    } catch (error) {
      scope.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
    }
  }
}
