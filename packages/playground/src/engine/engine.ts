import type { PlaygroundRequest } from '../question/playground-request.js'
import { computeChangeResult } from './change.js'
import { computeComparisonResult } from './comparison.js'
import { computeDumpResult } from './dump.js'
import { computePacketResult } from './packet.js'
import { createPlaygroundCache } from './playground-cache.js'
import type { EngineResults, ResultKind } from './results.js'
import { computeRulesResult } from './rules.js'

/** Computes results. It caches the latest results, so that a small change is cheap. */
export interface Engine {
  answer<P extends ResultKind>(part: P, question: PlaygroundRequest): EngineResults[P]
}

export function createEngine(): Engine {
  const memory = createPlaygroundCache()
  const parts: { readonly [P in ResultKind]: (question: PlaygroundRequest) => EngineResults[P] } = {
    rules: (question) => computeRulesResult(question, memory),
    packet: (question) => computePacketResult(question, memory),
    change: (question) => computeChangeResult(question, memory),
    comparison: (question) => computeComparisonResult(question, memory),
    dump: (question) => computeDumpResult(question, memory),
  }
  return { answer: (part, question) => parts[part](question) }
}
