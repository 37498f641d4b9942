import type { PlaygroundRequest } from '../question/playground-request.js'
import { ABORTED_ERROR, type EngineClient, FIRST_RESULT_KINDS } from './engine-client.js'
import type { EngineResults, ResultKind } from './results.js'

/** The fields of a request that determine the rules of the node. */
const NODE_FIELDS = ['objects', 'host', 'hostNode', 'mode', 'version', 'node', 'assign', 'namespace', 'dump'] as const
const TEXT_FIELDS = [...NODE_FIELDS, 'family', 'format', 'subsystem'] as const

/** The fields of a request that each part depends on. */
const FIELDS: { readonly [P in ResultKind]: readonly (keyof PlaygroundRequest)[] } = {
  rules: TEXT_FIELDS,
  packet: [...TEXT_FIELDS, 'packet', 'established', 'answers', 'through'],
  change: [...NODE_FIELDS, 'before'],
  comparison: [...NODE_FIELDS, 'against'],
  dump: TEXT_FIELDS,
}

export interface LatestOnlyQueue {
  /** Computes these parts for the request, in this order. Skips parts if no field that they depend on has changed. */
  ask(question: PlaygroundRequest, parts: readonly ResultKind[]): void
}

/**
 * If a request arrives within `TYPING` milliseconds after another request, slow parts start only when no more requests
 * arrive for a while. Otherwise, the rules would wait for results that the next keystroke discards.
 */
const TYPING = 250
const PAUSE = 120
/** The duration of a slow part in milliseconds. */
const SLOW = 50

/**
 * The time in milliseconds that a part may continue after a newer request arrives. It is not aborted at once, because a
 * new worker reads everything again.
 */
const PATIENCE = 1500

type OnAnswer = <P extends ResultKind>(part: P, answer: EngineResults[P]) => void

/**
 * Runs the newest request. Requests that wait are replaced by newer requests, and a slow part is aborted if a newer
 * request waits for it. One part runs at a time, but `FIRST_RESULT_KINDS` run immediately, also while another part
 * runs. While the user types, a part that was slow waits for a pause. Calls `onIdle` after the last request.
 */
export function createLatestOnlyQueue(
  client: EngineClient,
  onAnswer: OnAnswer,
  onFault: (error: unknown) => void,
  onIdle: () => void,
): LatestOnlyQueue {
  const answered = new Map<ResultKind, PlaygroundRequest>()
  /** The start time of the part that each lane computes. */
  const running = new Map<Lane, number>()
  let expected: { readonly question: PlaygroundRequest; readonly parts: readonly ResultKind[] } | undefined
  let askedAt = Number.NEGATIVE_INFINITY
  /** Slow parts wait until this time, while the user types. */
  let pauseEnd = 0
  let pause: ReturnType<typeof setTimeout> | undefined
  const slow = new Set<ResultKind>()

  function start(): void {
    clearTimeout(pause)
    for (const lane of LANES) {
      const part = expected?.parts.find((each) => laneOf(each) === lane && !isAnswered(each))
      const wait = pauseEnd - performance.now()
      if (part !== undefined && slow.has(part) && wait > 0 && !running.has(lane)) {
        pause = setTimeout(start, wait)
        return
      }
      if (expected !== undefined && part !== undefined && !running.has(lane)) void run(lane, part, expected.question)
      // Later parts wait, so that they do not use the cache or the processor that the running part needs.
      if (running.has(lane)) return
    }
    if (running.size === 0) onIdle()
  }

  function isAnswered(part: ResultKind): boolean {
    return expected !== undefined && isSame(part, expected.question, answered.get(part))
  }

  async function run(lane: Lane, part: ResultKind, question: PlaygroundRequest): Promise<void> {
    const since = performance.now()
    answered.set(part, question)
    running.set(lane, since)
    try {
      const answer = await client.ask(part, question)
      const isSlow = lane === 'later' && performance.now() - since > SLOW
      slow[isSlow ? 'add' : 'delete'](part)
      onAnswer(part, answer)
    } catch (error) {
      if (error === ABORTED_ERROR) answered.delete(part)
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
      const now = performance.now()
      if (isNew) {
        pauseEnd = now - askedAt < TYPING ? now + PAUSE : 0
        askedAt = now
        for (const [lane, since] of running) loseRemainingPatience(lane, since)
      }
      start()
    },
  }
}

/** Parts of different lanes run at the same time. */
type Lane = 'first' | 'later'

const LANES: readonly Lane[] = ['first', 'later']

function laneOf(part: ResultKind): Lane {
  return FIRST_RESULT_KINDS.includes(part) ? 'first' : 'later'
}

function isSame(part: ResultKind, question: PlaygroundRequest, before: PlaygroundRequest | undefined): boolean {
  if (before === undefined || !FIELDS[part].every((field) => question[field] === before[field])) return false
  // The packet belongs to the fields of its own part. For the others, it only determines the node.
  return question.packet === before.packet || findNamedHost(question) === findNamedHost(before)
}

/**
 * Returns the host that the packet goes to, if the objects contain it: it may be an address or the name of a Node, and
 * the page shows the rules of this Node.
 */
function findNamedHost({ packet, objects }: PlaygroundRequest): string {
  const host = (
    packet
      .trim()
      .split(/[\s→>]+/)
      .at(-1) ?? ''
  )
    .replace(/:\d+(?:\/\w+)?$/, '')
    .replace(/^\[|\]$/g, '')
  return objects.includes(host) ? host : ''
}
