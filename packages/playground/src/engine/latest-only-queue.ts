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
  /** Computes the given result parts in the given order. Skips parts if none of their request fields changed. */
  ask(question: PlaygroundRequest, parts: readonly ResultKind[]): void
}

/**
 * The number of milliseconds that a result part may continue after a newer request arrives. The later lane has more
 * time, because a new worker has to read everything again, and nothing waits for the parts of this lane.
 */
const PATIENCE: Readonly<Record<Lane, number>> = { first: 1500, later: 5000 }

type OnAnswer = <P extends ResultKind>(part: P, answer: EngineResults[P]) => void

/** A result part that is being computed. */
interface RunningPart {
  readonly part: ResultKind
  readonly since: number
}

/**
 * Creates a queue that runs the newest request: it drops waiting older requests, and aborts a slow result part in favor
 * of the newest request. One part runs at a time, but `FIRST_PARTS` run immediately, also while another part runs.
 * Calls `onIdle` after the last request.
 */
export function createLatestOnlyQueue(
  client: Client,
  onAnswer: OnAnswer,
  onFault: (error: unknown) => void,
  onIdle: () => void,
): LatestOnlyQueue {
  const answered = new Map<ResultKind, PlaygroundRequest>()
  const running = new Map<Lane, RunningPart>()
  let expected: { readonly question: PlaygroundRequest; readonly parts: readonly ResultKind[] } | undefined

  function start(): void {
    for (const lane of LANES) {
      const part = expected?.parts.find((each) => laneOf(each) === lane && !isAnswered(each))
      if (expected !== undefined && part !== undefined && !running.has(lane)) void run(lane, part, expected.question)
      // The parts of later lanes wait, so that they do not use the cache or the processor that the running part needs.
      if (running.has(lane)) return
    }
    if (running.size === 0) onIdle()
  }

  function isAnswered(part: ResultKind): boolean {
    return expected !== undefined && isSame(part, expected.question, answered.get(part))
  }

  async function run(lane: Lane, part: ResultKind, question: PlaygroundRequest): Promise<void> {
    answered.set(part, question)
    running.set(lane, { part, since: performance.now() })
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
  function loseRemainingPatience(lane: Lane, { part, since }: RunningPart): void {
    const check = () => {
      if (running.get(lane)?.since === since) client.abandon(part)
    }
    setTimeout(check, Math.max(0, PATIENCE[lane] - (performance.now() - since)))
  }

  return {
    ask: (question, parts) => {
      const isNew = expected?.question !== question
      expected = { question, parts }
      if (isNew) for (const [lane, part] of running) loseRemainingPatience(lane, part)
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
