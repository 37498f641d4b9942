import type { PlaygroundRequest } from '../question/playground-request.js'
import { ABORTED, type Client, FIRST_PARTS } from './client.js'
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

/** How long a part may continue after a newer request arrives, in milliseconds. A new worker reads everything again. */
const PATIENCE = 1500

type OnAnswer = <P extends ResultKind>(part: P, answer: EngineResults[P]) => void

/**
 * Runs the newest request: requests in between are dropped, and a slow part is aborted for the next. One part runs at a
 * time, but `FIRST_PARTS` run immediately, also while another part runs. Calls `onIdle` after the last request.
 */
export function createLatestOnlyQueue(
  client: Client,
  onAnswer: OnAnswer,
  onFault: (error: unknown) => void,
  onIdle: () => void,
): LatestOnlyQueue {
  const answered = new Map<ResultKind, PlaygroundRequest>()
  /** The start time of the part that each lane computes. */
  const running = new Map<Lane, number>()
  let expected: { readonly question: PlaygroundRequest; readonly parts: readonly ResultKind[] } | undefined

  function start(): void {
    for (const lane of LANES) {
      const part = expected?.parts.find((each) => laneOf(each) === lane && !isAnswered(each))
      if (expected !== undefined && part !== undefined && !running.has(lane)) void run(lane, part, expected.question)
      // Later parts wait, so that they do not use the cache or the processor that this one needs.
      if (running.has(lane)) return
    }
    if (running.size === 0) onIdle()
  }

  function isAnswered(part: ResultKind): boolean {
    return expected !== undefined && isSame(part, expected.question, answered.get(part))
  }

  async function run(lane: Lane, part: ResultKind, question: PlaygroundRequest): Promise<void> {
    answered.set(part, question)
    running.set(lane, performance.now())
    try {
      onAnswer(part, await client.ask(part, question))
    } catch (error) {
      if (error === ABORTED) answered.delete(part)
      else onFault(error)
    } finally {
      running.delete(lane)
    }
    start()
  }

  /** Aborts a slow result that is no longer needed. */
  function loseRemainingPatience(lane: Lane, since: number): void {
    const check = () => {
      if (running.get(lane) === since) client.abandon()
    }
    setTimeout(check, Math.max(0, PATIENCE - (performance.now() - since)))
  }

  return {
    ask: (question, parts) => {
      const isNew = expected?.question !== question
      expected = { question, parts }
      if (isNew) for (const [lane, since] of running) loseRemainingPatience(lane, since)
      start()
    },
  }
}

/** Parts of different lanes run at the same time. */
type Lane = 'first' | 'later'

const LANES: readonly Lane[] = ['first', 'later']

function laneOf(part: ResultKind): Lane {
  return FIRST_PARTS.includes(part) ? 'first' : 'later'
}

function isSame(part: ResultKind, question: PlaygroundRequest, before: PlaygroundRequest | undefined): boolean {
  return before !== undefined && FIELDS[part].every((field) => question[field] === before[field])
}
