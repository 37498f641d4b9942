import type { PlaygroundRequest } from '../question/playground-request.js'
import { ABORTED, type Client } from './client.js'
import type { EngineResults, ResultKind } from './results.js'

/** The fields of a request that each part depends on. */
const FIELDS: { readonly [P in ResultKind]: readonly (keyof PlaygroundRequest)[] } = {
  rules: [
    'objects',
    'host',
    'hostNode',
    'mode',
    'version',
    'node',
    'family',
    'format',
    'subsystem',
    'assign',
    'namespace',
  ],
  packet: [
    'objects',
    'host',
    'hostNode',
    'mode',
    'version',
    'node',
    'family',
    'format',
    'subsystem',
    'assign',
    'namespace',
    'packet',
    'established',
    'through',
    'dump',
  ],
  change: ['objects', 'before', 'host', 'hostNode', 'mode', 'version', 'node', 'assign', 'namespace'],
  comparison: ['objects', 'host', 'hostNode', 'mode', 'version', 'node', 'assign', 'namespace', 'against'],
  dump: [
    'objects',
    'host',
    'hostNode',
    'mode',
    'version',
    'node',
    'assign',
    'namespace',
    'dump',
    'family',
    'format',
    'subsystem',
  ],
}

export interface LatestOnlyQueue {
  /** Computes these parts in this order, but only those with changed fields. */
  ask(question: PlaygroundRequest, parts: readonly ResultKind[]): void
}

/** How long a computation may continue after a newer request arrives, in milliseconds. */
const PATIENCE = 1500

type OnAnswer = <P extends ResultKind>(part: P, answer: EngineResults[P]) => void

/**
 * Runs one request at a time, and always the newest: requests in between are dropped, and a slow one is aborted for the
 * next. Calls `onIdle` after the last request.
 */
export function createLatestOnlyQueue(
  client: Client,
  onAnswer: OnAnswer,
  onFault: (error: unknown) => void,
  onIdle: () => void,
): LatestOnlyQueue {
  const answered = new Map<ResultKind, PlaygroundRequest>()
  let expected: { readonly question: PlaygroundRequest; readonly parts: readonly ResultKind[] } | undefined
  let isAsking = false
  let since = 0

  function next(): { readonly question: PlaygroundRequest; readonly part: ResultKind } | undefined {
    const question = expected?.question
    const part = question && expected?.parts.find((each) => !isSame(each, question, answered.get(each)))
    return part && question && { question, part }
  }

  async function run(): Promise<void> {
    if (isAsking) return
    isAsking = true
    try {
      await answerAll()
    } finally {
      isAsking = false
    }
    onIdle()
  }

  async function answerAll(): Promise<void> {
    for (let asked = next(); asked !== undefined; asked = next()) {
      const { question, part } = asked
      answered.set(part, question)
      since = performance.now()
      try {
        onAnswer(part, await client.ask(part, question))
      } catch (error) {
        if (error === ABORTED) answered.delete(part)
        else onFault(error)
      }
    }
  }

  /** Aborts a slow result that is no longer needed. */
  function loseRemainingPatience(): void {
    const asked = since
    const check = () => {
      if (isAsking && since === asked) client.abandon()
    }
    setTimeout(check, Math.max(0, PATIENCE - (performance.now() - asked)))
  }

  return {
    ask: (question, parts) => {
      const isNew = expected?.question !== question
      expected = { question, parts }
      if (isNew && isAsking) loseRemainingPatience()
      void run()
    },
  }
}

function isSame(part: ResultKind, question: PlaygroundRequest, before: PlaygroundRequest | undefined): boolean {
  return before !== undefined && FIELDS[part].every((field) => question[field] === before[field])
}
