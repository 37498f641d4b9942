import type { Question } from '../question/question.js'
import type { Answers, Part } from './answers.js'
import { answerChange } from './change.js'
import { answerComparison } from './comparison.js'
import { answerDump } from './dump.js'
import { diagnosePacket } from './packet.js'
import { createPlaygroundCache } from './playground-cache.js'
import { answerRules } from './rules.js'

/** Computes results. It caches the latest ones, so that a small change is cheap. */
export interface Engine {
  answer<P extends Part>(part: P, question: Question): Answers[P]
}

export function createEngine(): Engine {
  const memory = createPlaygroundCache()
  const parts: { readonly [P in Part]: (question: Question) => Answers[P] } = {
    rules: (question) => answerRules(question, memory),
    packet: (question) => diagnosePacket(question, memory),
    change: (question) => answerChange(question, memory),
    comparison: (question) => answerComparison(question, memory),
    dump: (question) => answerDump(question, memory),
  }
  return { answer: (part, question) => parts[part](question) }
}
