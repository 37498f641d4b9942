import type { Question } from '../question/question.js'
import type { Answers, Part } from './answers.js'
import { ABANDONED, type Client } from './client.js'

/** The fields of a request that each part depends on. */
const FIELDS: { readonly [P in Part]: readonly (keyof Question)[] } = {
  rules: ['objects', 'host', 'mode', 'version', 'node', 'family', 'format', 'subsystem', 'assign', 'namespace'],
  packet: [
    'objects',
    'host',
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
  change: ['objects', 'before', 'host', 'mode', 'version', 'node', 'assign', 'namespace'],
  comparison: ['objects', 'host', 'mode', 'version', 'node', 'assign', 'namespace', 'against'],
  dump: ['objects', 'host', 'mode', 'version', 'node', 'assign', 'namespace', 'dump', 'family', 'format', 'subsystem'],
}

export interface LatestOnlyQueue {
  /** Computes these parts in this order, but only those with changed fields. */
  ask(question: Question, parts: readonly Part[]): void
}

/** The timeout, in milliseconds, of a result if there is a newer request. */
const PATIENCE = 1500

type OnAnswer = <P extends Part>(part: P, answer: Answers[P]) => void

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
  const answered = new Map<Part, Question>()
  let expected: { readonly question: Question; readonly parts: readonly Part[] } | undefined
  let isAsking = false
  let since = 0

  function next(): { readonly question: Question; readonly part: Part } | undefined {
    const question = expected?.question
    const part = question && expected?.parts.find((each) => !isSame(each, question, answered.get(each)))
    return part && question && { question, part }
  }

  async function run(): Promise<void> {
    if (isAsking) return
    isAsking = true
    for (let asked = next(); asked !== undefined; asked = next()) {
      const { question, part } = asked
      answered.set(part, question)
      since = performance.now()
      try {
        onAnswer(part, await client.ask(part, question))
      } catch (error) {
        if (error === ABANDONED) answered.delete(part)
        else onFault(error)
      }
    }
    isAsking = false
    onIdle()
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

function isSame(part: Part, question: Question, before: Question | undefined): boolean {
  return before !== undefined && FIELDS[part].every((field) => question[field] === before[field])
}
